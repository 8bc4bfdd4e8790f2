/** How many of a combo could be put together at a site from what is on hand there: told, never stored. D-17. */
import type { StockLevel } from '../contract/stock-levels.ts';
import { type Part, needRatio, partsOf } from '../domain/bom.ts';
import type { ItemRecord } from '../domain/items.ts';
import { MICRO, fromMicro } from '../domain/numbers.ts';
import type { PageQuery, Query } from '../domain/ports.ts';
import type { SiteRecord } from '../domain/settings.ts';
import { levelId } from '../domain/stock-levels.ts';
import type { ReadTx } from '../domain/tables.ts';
import { presentItemRef } from './items.ts';
import { among, equal } from './lists.ts';
import type { LevelQuery } from './stock-levels.ts';

export type KitLevel = Omit<StockLevel, 'site' | 'unit'> & { readonly unitId: string | null };

/** `count` rows from the row `from` on, one per combo and site; `total` counts them all. */
export async function kitLevels(
  tx: ReadTx,
  query: LevelQuery,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<{ levels: KitLevel[]; total: number }> {
  if (!asksForKits(query)) return { levels: [], total: 0 };
  const sites = await sitesOf(tx, query.site_id);
  const combos = combosOf(query);
  const total = sites.length * (await tx.items.count(combos));
  if (count === 0 || from >= total) return { levels: [], total };
  const first = Math.floor(from / sites.length);
  const last = Math.ceil((from + count) / sites.length);
  const items = await itemsBetween(tx, combos, first, last);
  const start = from - first * sites.length;
  const places = items.flatMap((item) => sites.map((site) => ({ item, site }))).slice(start, start + count);
  const recipes = new Map<string, readonly Part[]>();
  for (const { item } of places) if (!recipes.has(item.id)) recipes.set(item.id, await partsOf(tx, item.id));
  const levels: KitLevel[] = [];
  for (const { item, site } of places) levels.push(kitLevel(item, site, await buildable(tx, recipes.get(item.id) ?? [], site.id)));
  return { levels, total };
}

/** Only when asked for by name or by type; a combo is neither low nor below zero, and has not changed since any time. */
function asksForKits({ item_id, item_type, low_stock, below_zero, updated_since }: LevelQuery): boolean {
  const isNamed = item_type === undefined ? item_id !== undefined : item_type.includes('combo');
  return isNamed && low_stock === undefined && below_zero !== true && updated_since === undefined;
}

/** The combos that the query matches, by SKU when the list is sorted so, else by name. */
function combosOf({ item_id, category_id, search = '', sort }: LevelQuery): Query {
  const where = [equal('itemType', 'combo'), among('id', item_id), among('categoryId', category_id)].filter((each) => each !== undefined);
  const text = search.trim();
  return {
    where,
    orderBy: sort.endsWith('sku') ? 'sku' : 'name',
    descending: sort === '-sku' || sort === '-name',
    ...(text === '' ? {} : { search: { text } }),
  };
}

async function sitesOf(tx: ReadTx, ids: readonly string[] | undefined): Promise<SiteRecord[]> {
  const where = ids === undefined ? {} : { where: [{ field: 'id', in: ids }] };
  return (await tx.sites.after({ ...where, orderBy: 'name', limit: Number.MAX_SAFE_INTEGER })).rows;
}

/** The items at the places [from, to): at most two pages of that length hold them. */
async function itemsBetween(tx: ReadTx, combos: Query, from: number, to: number): Promise<ItemRecord[]> {
  const size = to - from;
  const number = Math.floor(from / size) + 1;
  const page = async (at: number) => (await tx.items.page({ ...combos, page: { number: at, size } } satisfies PageQuery)).rows;
  const start = from - (number - 1) * size;
  const rows = await page(number);
  return (start === 0 ? rows : [...rows, ...(await page(number + 1))]).slice(start, start + size);
}

/** Whole combos (micro-units): what the scarcest part is enough for. A combo without parts cannot be put together. */
async function buildable(tx: ReadTx, parts: readonly Part[], siteId: string): Promise<number> {
  if (parts.length === 0) return 0;
  const levels = await tx.stockLevels.getMany(parts.map(({ row }) => levelId({ itemId: row.ingredientItemId, siteId })));
  const enough = parts.map((part, at) => enoughFor(part, Math.max(0, levels[at]?.onHand ?? 0)));
  return enough.reduce((least, each) => Math.min(least, each));
}

/** The greatest whole number of combos whose need, rounded up to what the unit can tell, is on hand. */
function enoughFor(part: Part, onHand: number): number {
  const { numerator, denominator, step } = needRatio(part);
  const steps = BigInt(onHand) / step;
  return Number((steps * step * denominator) / numerator / BigInt(MICRO)) * MICRO;
}

function kitLevel(item: ItemRecord, { id: siteId }: SiteRecord, onHand: number): KitLevel {
  return {
    itemId: item.id,
    item: presentItemRef(item),
    siteId,
    unitId: item.unitId,
    onHand: fromMicro(onHand),
    committed: null,
    incoming: null,
    available: null,
    projected: null,
    averageCost: null,
    stockValue: null,
    reorderPoint: null,
    isLow: null,
    isVirtual: true,
    lastMovementAt: null,
    updatedAt: null,
  };
}
