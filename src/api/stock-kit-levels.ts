/** Computed stock levels of combos: how many could be assembled at a site from the stock on hand. Never stored. D-17. */
import { NUMBER_BOUND } from '../contract/limits.ts';
import type { StockLevel } from '../contract/resources/stock-levels.ts';
import { type RecipeLine, getNeedRatio, loadRecipeLines } from '../domain/catalog/bom.ts';
import type { ItemRecord } from '../domain/catalog/records.ts';
import { MICRO, fromMicro } from '../domain/kernel/numbers.ts';
import type { PageQuery, Query } from '../domain/kernel/ports.ts';
import type { SiteRecord } from '../domain/tenancy/records.ts';
import { toLevelId } from '../domain/stock/levels.ts';
import type { ReadTx } from '../domain/tables.ts';
import { presentItemRef } from './items.ts';
import { whereIn, whereEquals } from './pagination.ts';
import type { LevelQuery } from './stock-levels.ts';

export type KitLevel = Omit<StockLevel, 'site' | 'unit'> & { readonly unitId: string | null };

/** `count` levels from index `from` on, one per combo and site. `total` counts all of them. */
export async function listKitLevels(
  tx: ReadTx,
  query: LevelQuery,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<{ levels: KitLevel[]; total: number }> {
  if (!includesKits(query)) return { levels: [], total: 0 };
  const sites = await listSites(tx, query.site_id);
  const combos = toComboQuery(query);
  const total = sites.length * (await tx.items.count(combos));
  if (count === 0 || from >= total) return { levels: [], total };
  const first = Math.floor(from / sites.length);
  const last = Math.ceil((from + count) / sites.length);
  const items = await listItemsInRange(tx, combos, first, last);
  const start = from - first * sites.length;
  const pairs = items.flatMap((item) => sites.map((site) => ({ item, site }))).slice(start, start + count);
  const partsByItem = new Map<string, readonly RecipeLine[]>();
  for (const { item } of pairs) if (!partsByItem.has(item.id)) partsByItem.set(item.id, await loadRecipeLines(tx, item.id));
  const levels: KitLevel[] = [];
  for (const { item, site } of pairs)
    levels.push(presentKitLevel(item, site, await getBuildableQuantity(tx, partsByItem.get(item.id) ?? [], site.id)));
  return { levels, total };
}

/** Combos are listed only when requested by id or type. They are never low or below zero, and have no time of change. */
function includesKits({ item_id, item_type, low_stock, below_zero, updated_since }: LevelQuery): boolean {
  const isRequested = item_type === undefined ? item_id !== undefined : item_type.includes('combo');
  return isRequested && low_stock === undefined && below_zero !== true && updated_since === undefined;
}

/** The query for matching combos, sorted by SKU if the list is, otherwise by name. */
function toComboQuery({ item_id, category_id, search = '', sort }: LevelQuery): Query {
  const where = [whereEquals('itemType', 'combo'), whereIn('id', item_id), whereIn('categoryId', category_id)].filter(
    (condition) => condition !== undefined,
  );
  const text = search.trim();
  return {
    where,
    orderBy: sort.endsWith('sku') ? 'sku' : 'name',
    descending: sort === '-sku' || sort === '-name',
    ...(text === '' ? {} : { search: { text } }),
  };
}

async function listSites(tx: ReadTx, ids: readonly string[] | undefined): Promise<SiteRecord[]> {
  const where = ids === undefined ? {} : { where: [{ field: 'id', in: ids }] };
  return (await tx.sites.listAfter({ ...where, orderBy: 'name', limit: Number.MAX_SAFE_INTEGER })).rows;
}

/** The items at indexes [from, to) of the query. At most two pages of that length contain them. */
async function listItemsInRange(tx: ReadTx, combos: Query, from: number, to: number): Promise<ItemRecord[]> {
  const size = to - from;
  const pageNumber = Math.floor(from / size) + 1;
  const readPage = async (page: number) => (await tx.items.listPage({ ...combos, page: { number: page, size } } satisfies PageQuery)).rows;
  const start = from - (pageNumber - 1) * size;
  const rows = await readPage(pageNumber);
  return (start === 0 ? rows : [...rows, ...(await readPage(pageNumber + 1))]).slice(start, start + size);
}

/** The whole number of combos (in micro-units) that the scarcest part allows; 0 for a combo without parts. */
async function getBuildableQuantity(tx: ReadTx, parts: readonly RecipeLine[], siteId: string): Promise<number> {
  if (parts.length === 0) return 0;
  const levels = await tx.stockLevels.getMany(parts.map(({ row }) => toLevelId({ itemId: row.ingredientItemId, siteId })));
  const quantities = parts.map((part, index) => getQuantityFromPart(part, Math.max(0, levels[index]?.onHand ?? 0)));
  return quantities.reduce((min, quantity) => Math.min(min, quantity));
}

const MAX_COMBOS = BigInt(NUMBER_BOUND) - 1n;

/** The largest whole number of combos whose need for this part, rounded up to the precision of its unit, is on hand; at most 999,999,999. */
function getQuantityFromPart(part: RecipeLine, onHand: number): number {
  const { numerator, denominator, step } = getNeedRatio(part);
  const steps = BigInt(onHand) / step;
  const combos = (steps * step * denominator) / numerator / BigInt(MICRO);
  return Number(combos < MAX_COMBOS ? combos : MAX_COMBOS) * MICRO;
}

function presentKitLevel(item: ItemRecord, { id: siteId }: SiteRecord, onHand: number): KitLevel {
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
