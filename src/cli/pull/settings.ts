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

export type Settings = Awaited<ReturnType<typeof openSettings>>;

/** `admin`: a client of the admin API; `tenant`: the slug of the copy. Records that are found or created have the same name or symbol. */
export async function openSettings(admin: Client, tenant: string) {
  const categories = await createFinder(admin, tenant, listCategories, createCategory);
  const sites = await createFinder(admin, tenant, listSites, createSite);
  const units = await createFinder(admin, tenant, listUnits, createUnit, 'symbol');
  const siteIds = new Map<string, string>();
  const knownUnits = new Map<string, Unit>();
  return {
    /** Returns the local id. */
    findOrCreateCategory: async (ref: Ref | null | undefined) => (ref ? (await categories(ref)).id : null),
    async findOrCreateSite(ref: Ref | null | undefined): Promise<string | null> {
      if (!ref) return null;
      const { id } = await sites(ref);
      siteIds.set(ref.id, id);
      return id;
    },
    /** Returns the local id of a remote site that was already found or created. */
    getSite: (id: unknown) => (typeof id === 'string' ? (siteIds.get(id) ?? null) : null),
    /** Finds or creates the local unit for a remote one, which `getUnit` then returns. */
    async findOrCreateUnit(ref: Ref | null | undefined): Promise<void> {
      if (ref?.symbol !== undefined && !knownUnits.has(ref.id)) knownUnits.set(ref.id, (await units(ref)) as Unit);
    },
    /** Returns the local unit for the id of a remote one; null if it is unknown. */
    getUnit: (id: unknown) => (typeof id === 'string' ? (knownUnits.get(id) ?? null) : null),
    /** Returns a local unit by its local id. */
    getLocalUnit: (id: string | undefined) => knownUnits.values().find((unit) => unit.id === id) ?? null,
  };
}

/** Creates a function that finds a record by its name or symbol, ignoring case, or creates it once. */
async function createFinder(admin: Client, tenant: string, list: Operation, create: Operation, by: 'name' | 'symbol' = 'name') {
  const known = new Map<string, Promise<Ref>>();
  const getKey = (ref: Ref): string => (ref[by] ?? '').toLowerCase();
  for await (const { data } of iteratePages(admin, list, { query: { tenant } }))
    for (const row of data as readonly Ref[]) known.set(getKey(row), Promise.resolve(row));
  const createRecord = async ({ name, symbol }: Ref): Promise<Ref> => {
    const body = by === 'name' ? { name } : { name, symbol, precision: NUMBER_DECIMALS };
    // All three operations return the created record under `data`.
    return ((await admin.perform(create, { query: { tenant }, body })).body as unknown as { data: Ref }).data;
  };
  return (ref: Ref): Promise<Ref> => {
    const found = known.get(getKey(ref)) ?? createRecord(ref);
    known.set(getKey(ref), found);
    return found;
  };
}
