/** Categories, units and sites, which /v1 cannot list: finds local ones by name and creates missing ones. */
import type { Client } from '../../client/client.ts';
import { iteratePages } from '../../client/lists/pages.ts';
import { createCategory, listCategories } from '../../contract/admin/categories.ts';
import { createSite, listSites } from '../../contract/admin/sites.ts';
import { createUnit, listUnits } from '../../contract/admin/units.ts';
import { type Unit } from '../../contract/resources/setting-records.ts';
import { NUMBER_DECIMALS } from '../../contract/limits.ts';
import type { Operation } from '../../contract/operation.ts';

/** A reference in a remote record. */
export interface Ref {
  readonly id: string;
  readonly name: string;
  readonly symbol?: string;
}

export interface Settings {
  /** Returns the local id of a category or site with the same name; creates it if there is none. */
  findOrCreateCategory(ref: Ref | null | undefined): Promise<string | null>;
  findOrCreateSite(ref: Ref | null | undefined): Promise<string | null>;
  /** Returns the local id of a remote site that was already found or created. */
  getSite(id: unknown): string | null;
  /** Finds or creates the local unit for a remote one, which `getUnit` then returns. */
  findOrCreateUnit(ref: Ref | null | undefined): Promise<void>;
  /** Returns the local unit for the id of a remote one; null if it is unknown. */
  getUnit(id: unknown): Unit | null;
  /** Returns a local unit by its local id. */
  getLocalUnit(id: string | undefined): Unit | null;
}

/** `admin`: a client of the admin API; `tenant`: the slug of the copy. */
export async function openSettings(admin: Client, tenant: string): Promise<Settings> {
  const categories = await createFinder(
    admin,
    tenant,
    listCategories,
    createCategory,
    ({ name }) => name,
    (name) => ({ name }),
  );
  const sites = await createFinder(
    admin,
    tenant,
    listSites,
    createSite,
    ({ name }) => name,
    (name) => ({ name }),
  );
  const units = await createFinder(
    admin,
    tenant,
    listUnits,
    createUnit,
    ({ symbol = '' }) => symbol,
    (symbol, name) => ({
      name,
      symbol,
      precision: NUMBER_DECIMALS,
    }),
  );
  const siteIds = new Map<string, string>();
  const pendingUnits = new Map<string, Promise<Unit>>();
  const knownUnits = new Map<string, Unit>();
  return {
    findOrCreateCategory: async (ref) => (ref ? (await categories(ref)).id : null),
    async findOrCreateSite(ref) {
      if (!ref) return null;
      const { id } = await sites(ref);
      siteIds.set(ref.id, id);
      return id;
    },
    getSite: (id) => (typeof id === 'string' ? (siteIds.get(id) ?? null) : null),
    async findOrCreateUnit(ref) {
      if (ref?.symbol === undefined || knownUnits.has(ref.id)) return;
      const pending = pendingUnits.get(ref.id) ?? (units(ref) as Promise<Unit>);
      pendingUnits.set(ref.id, pending);
      knownUnits.set(ref.id, await pending);
    },
    getLocalUnit: (id) => (id === undefined ? null : ([...knownUnits.values()].find((unit) => unit.id === id) ?? null)),
    getUnit: (id) => (typeof id === 'string' ? (knownUnits.get(id) ?? null) : null),
  };
}

/** Creates a function that finds a record by a key, ignoring case, or creates it once. */
async function createFinder(
  admin: Client,
  tenant: string,
  list: Operation,
  create: Operation,
  getKey: (ref: Ref) => string,
  toDraft: (key: string, name: string) => unknown,
): Promise<(ref: Ref) => Promise<{ readonly id: string }>> {
  const known = new Map<string, Promise<Ref>>();
  for await (const { data } of iteratePages(admin, list, { query: { tenant } }))
    for (const row of data as readonly Ref[]) known.set(getKey(row).toLowerCase(), Promise.resolve(row));
  return (ref) => {
    const key = getKey(ref);
    const found = known.get(key.toLowerCase());
    if (found) return found;
    const created = admin
      .perform(create, { query: { tenant }, body: toDraft(key, ref.name) })
      // All three operations return the created record under `data`.
      .then(({ body }) => (body as unknown as { data: Ref }).data);
    known.set(key.toLowerCase(), created);
    return created;
  };
}
