/** Computed stock levels of combos: how many could be assembled at a site from the stock of their components. Never stored. D-17. */
import { NUMBER_BOUND } from '../../contract/limits.ts';
import { type IngredientLine, getNeedRatio, loadIngredients } from '../../domain/catalog/ingredient-needs.ts';
import type { ItemRecord } from '../../domain/catalog/records.ts';
import { MICRO, fromMicro } from '../../domain/kernel/numbers.ts';
import { getRowsById } from '../../domain/kernel/rows.ts';
import type { StockLevelRecord } from '../../domain/stock/records.ts';
import type { SiteRecord } from '../../domain/tenancy/records.ts';
import { parseLevelId, toLevelId } from '../../domain/stock/levels.ts';
import type { ReadTx } from '../../domain/tables.ts';
import { presentItemRef } from '../items.ts';
import { ALL_ROWS, type Found, type Range, listRange } from '../lists/page-sources.ts';
import { joinConditions, toUtc, whereIn } from '../lists/pagination.ts';
import { type LevelFields, type LevelQuery, toItemQuery } from './stock-level-items.ts';

interface ComboAtSite {
  readonly item: ItemRecord;
  readonly site: SiteRecord;
}

const NO_COMBOS: Found<ComboAtSite> = { rows: [], total: 0 };

/** The levels of a range, one per combo and site. */
export async function listComboLevels(tx: ReadTx, query: LevelQuery, range: Range): Promise<Found<LevelFields>> {
  if (query.updated_until === undefined) return computeLevels(tx, await listCombos(tx, query, range));
  // When a combo changed is known only once its level is computed.
  const until = toUtc(query.updated_until);
  const { rows } = await computeLevels(tx, await listCombos(tx, query, ALL_ROWS));
  const changed = rows.filter(({ updatedAt }) => updatedAt !== null && updatedAt < until);
  return { rows: changed.slice(range.from, range.from + range.count), total: changed.length };
}

async function computeLevels(tx: ReadTx, { rows: combos, total }: Found<ComboAtSite>): Promise<Found<LevelFields>> {
  const ingredients = await loadIngredients(tx, [...new Set(combos.map(({ item }) => item.id))]);
  const partsOf = ({ item }: ComboAtSite): readonly IngredientLine[] => ingredients.get(item.id) ?? [];
  const levelIds = combos.flatMap((combo) =>
    partsOf(combo).map(({ row }) => toLevelId({ itemId: row.ingredientItemId, siteId: combo.site.id })),
  );
  const levels = await getRowsById(tx.stockLevels, [...new Set(levelIds)]);
  return { rows: combos.map((combo) => presentComboLevel(combo, computeComboValues(partsOf(combo), combo.site.id, levels))), total };
}

async function listCombos(tx: ReadTx, query: LevelQuery, range: Range): Promise<Found<ComboAtSite>> {
  if (!includesCombos(query)) return NO_COMBOS;
  const { updated_since } = query;
  return updated_since === undefined ? listAllCombos(tx, query, range) : listChangedCombos(tx, query, toUtc(updated_since), range);
}

/** Combos are listed only when requested by id or type. They are never low or below zero. */
function includesCombos({ item_id, item_type, low_stock, below_zero }: LevelQuery): boolean {
  const isRequested = item_type === undefined ? item_id !== undefined : item_type.includes('combo');
  return isRequested && low_stock === undefined && below_zero !== true;
}

async function listSites(tx: ReadTx, ids: readonly string[] | undefined): Promise<SiteRecord[]> {
  const where = ids === undefined ? {} : { where: [{ field: 'id', in: ids }] };
  return (await tx.sites.listAfter({ ...where, orderBy: 'name', limit: Number.MAX_SAFE_INTEGER })).rows;
}

async function listAllCombos(tx: ReadTx, query: LevelQuery, { from, count }: Range): Promise<Found<ComboAtSite>> {
  const comboQuery = toItemQuery(query, query.item_id, ['combo']);
  const sites = await listSites(tx, query.site_id);
  if (sites.length === 0) return NO_COMBOS;
  const first = Math.floor(from / sites.length);
  const last = Math.ceil((from + count) / sites.length);
  const { rows: items, total } = await listRange(tx.items, comboQuery, { from: first, count: last - first });
  const start = from - first * sites.length;
  const combos = items.flatMap((item) => sites.map((site) => ({ item, site }))).slice(start, start + count);
  return { rows: combos, total: total * sites.length };
}

/** The combos with a component whose level at the site changed since then, found from the changed levels, which are few in most lists. */
async function listChangedCombos(tx: ReadTx, query: LevelQuery, since: string, { from, count }: Range): Promise<Found<ComboAtSite>> {
  const limit = Number.MAX_SAFE_INTEGER;
  const changed = joinConditions({ field: 'updatedAt', from: since }, whereIn('siteId', query.site_id));
  const [sites, { ids }] = await Promise.all([listSites(tx, query.site_id), tx.stockLevels.listIdsAfter({ where: changed, limit })]);
  const sitesByPart = Map.groupBy(ids.map(parseLevelId), ({ itemId }) => itemId);
  const uses = joinConditions(whereIn('ingredientItemId', [...sitesByPart.keys()]), whereIn('itemId', query.item_id));
  const sitesByCombo = new Map<string, Set<string>>();
  for (const { itemId, ingredientItemId } of (await tx.ingredients.listAfter({ where: uses, limit })).rows) {
    const siteIds = sitesByCombo.get(itemId) ?? new Set();
    sitesByCombo.set(itemId, siteIds);
    for (const { siteId } of sitesByPart.get(ingredientItemId) ?? []) siteIds.add(siteId);
  }
  const { rows: items } = await tx.items.listAfter({ ...toItemQuery(query, [...sitesByCombo.keys()], ['combo']), limit });
  const combos = items.flatMap((item) => sites.filter(({ id }) => sitesByCombo.get(item.id)?.has(id)).map((site) => ({ item, site })));
  return { rows: combos.slice(from, from + count), total: combos.length };
}

interface ComboValues {
  /** Micro-units. */
  readonly onHand: number;
  readonly available: number;
  readonly updatedAt: string | null;
}

/** What the scarcest component allows, in whole combos, and the latest change of a component. A combo without components has no stock. */
function computeComboValues(
  parts: readonly IngredientLine[],
  siteId: string,
  levelsById: ReadonlyMap<string, StockLevelRecord>,
): ComboValues {
  if (parts.length === 0) return { onHand: 0, available: 0, updatedAt: null };
  const levels = parts.map(({ row }) => levelsById.get(toLevelId({ itemId: row.ingredientItemId, siteId })));
  const count = (getStock: (level: StockLevelRecord) => number): number =>
    Math.min(...parts.map((part, index) => getQuantityFromPart(part, levels[index] ? Math.max(0, getStock(levels[index])) : 0)));
  const updates = levels.flatMap((level) => (level ? [level.updatedAt] : []));
  return {
    onHand: count(({ onHand }) => onHand),
    available: count(({ available }) => available),
    updatedAt: updates.toSorted().at(-1) ?? null,
  };
}

const MAX_COMBOS = BigInt(NUMBER_BOUND) - 1n;

/** The largest whole number of combos whose need for this part, rounded up to the precision of its unit, is in stock; at most 999,999,999. */
function getQuantityFromPart(part: IngredientLine, stock: number): number {
  const { numerator, denominator, step } = getNeedRatio(part);
  const steps = BigInt(stock) / step;
  const combos = (steps * step * denominator) / numerator / BigInt(MICRO);
  return Number(combos < MAX_COMBOS ? combos : MAX_COMBOS) * MICRO;
}

function presentComboLevel({ item, site }: ComboAtSite, { onHand, available, updatedAt }: ComboValues): LevelFields {
  return {
    itemId: item.id,
    item: presentItemRef(item),
    siteId: site.id,
    unitId: item.unitId,
    onHand: fromMicro(onHand),
    committed: null,
    incoming: null,
    available: fromMicro(available),
    projected: null,
    averageCost: null,
    stockValue: null,
    reorderPoint: null,
    isLow: null,
    isVirtual: true,
    lastMovementAt: null,
    updatedAt,
  };
}
