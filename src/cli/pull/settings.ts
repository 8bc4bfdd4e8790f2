/** What records refer to but /v1 cannot list: categories, units and sites, found by name here and made when they are missing. */
import type { Client } from '../../client/client.ts';
import { pagesOf } from '../../client/pages.ts';
import { createCategory, listCategories } from '../../contract/admin/categories.ts';
import { createSite, listSites } from '../../contract/admin/sites.ts';
import { createUnit, listUnits, type Unit } from '../../contract/admin/units.ts';
import { NUMBER_DECIMALS } from '../../contract/limits.ts';
import type { Operation } from '../../contract/operation.ts';

/** How a record there names something. */
export interface Ref {
  readonly id: string;
  readonly name: string;
  readonly symbol?: string;
}

export interface Settings {
  /** The id here of a category or a site there; made when there is none of that name. */
  category(ref: Ref | null | undefined): Promise<string | null>;
  site(ref: Ref | null | undefined): Promise<string | null>;
  /** The site here of one that was met already. */
  siteOf(id: unknown): string | null;
  /** Learns what a unit there is called. */
  meetUnit(ref: Ref | null | undefined): Promise<void>;
  /** The unit here; null: there it has none, or its name was never told. */
  unit(id: unknown): Unit | null;
  /** A unit here by its own id. */
  unitHere(id: string | undefined): Unit | null;
}

/** `admin`: the settings plane of the daemon; `tenant`: the slug of the copy. */
export async function openSettings(admin: Client, tenant: string): Promise<Settings> {
  const categories = await finder(
    admin,
    tenant,
    listCategories,
    createCategory,
    ({ name }) => name,
    (name) => ({ name }),
  );
  const sites = await finder(
    admin,
    tenant,
    listSites,
    createSite,
    ({ name }) => name,
    (name) => ({ name }),
  );
  const units = await finder(
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
  const metSites = new Map<string, string>();
  const metUnits = new Map<string, Promise<Unit>>();
  const knownUnits = new Map<string, Unit>();
  return {
    category: async (ref) => (ref ? (await categories(ref)).id : null),
    async site(ref) {
      if (!ref) return null;
      const { id } = await sites(ref);
      metSites.set(ref.id, id);
      return id;
    },
    siteOf: (id) => (typeof id === 'string' ? (metSites.get(id) ?? null) : null),
    async meetUnit(ref) {
      if (ref?.symbol === undefined || knownUnits.has(ref.id)) return;
      const met = metUnits.get(ref.id) ?? (units(ref) as Promise<Unit>);
      metUnits.set(ref.id, met);
      knownUnits.set(ref.id, await met);
    },
    unitHere: (id) => (id === undefined ? null : ([...knownUnits.values()].find((unit) => unit.id === id) ?? null)),
    unit: (id) => (typeof id === 'string' ? (knownUnits.get(id) ?? null) : null),
  };
}

/** Finds by a word, whatever its case, and makes what is missing once. */
async function finder(
  admin: Client,
  tenant: string,
  list: Operation,
  create: Operation,
  wordOf: (ref: Ref) => string,
  draft: (word: string, name: string) => unknown,
): Promise<(ref: Ref) => Promise<{ readonly id: string }>> {
  const known = new Map<string, Promise<Ref>>();
  for await (const { data } of pagesOf(admin, list, { query: { tenant } }))
    for (const row of data as readonly Ref[]) known.set(wordOf(row).toLowerCase(), Promise.resolve(row));
  return (ref) => {
    const word = wordOf(ref);
    const found = known.get(word.toLowerCase());
    if (found) return found;
    const made = admin
      .perform(create, { query: { tenant }, body: draft(word, ref.name) })
      // Which of three kinds it is only the caller knows; all three answer with what they made under `data`.
      .then(({ body }) => (body as unknown as { data: Ref }).data);
    known.set(word.toLowerCase(), made);
    return made;
  };
}
