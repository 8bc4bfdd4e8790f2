/** Needs of ingredients, and the rule that no item contains itself. D-10. */
import { INGREDIENTS_MAX_DEPTH, INGREDIENTS_MAX_ROWS, NUMBER_BOUND } from '../../contract/limits.ts';
import { StockroomError, invalidField } from '../kernel/errors.ts';
import type { IngredientRecord, ItemRecord, StoredNeedRatio, UnitRecord } from './records.ts';
import { MICRO } from '../kernel/numbers.ts';
import { getReferencedRows, getRowsById } from '../kernel/rows.ts';
import type { ReadTx } from '../tables.ts';
import { getUnitRatio, getUnitStep } from './unit-ratios.ts';

/** One ingredient of an item. `unit` is the unit of the row's quantity, `stockUnit` that of the ingredient's stock. */
export interface IngredientLine {
  readonly row: IngredientRecord;
  readonly item: ItemRecord;
  readonly unit: UnitRecord | null;
  readonly stockUnit: UnitRecord | null;
}

export interface IngredientNeed {
  readonly ingredientId: string;
  readonly itemId: string;
  /** Micro-units of the item's stock unit. */
  readonly quantity: number;
}

const MICRO_BIG = BigInt(MICRO);
const HUNDRED_PERCENT = 100n * MICRO_BIG;
const BOUND = BigInt(NUMBER_BOUND) * MICRO_BIG;

/** The need of each ingredient for `parents` (micro-units) of an item, one level deep. Throws 400 for `path` if a need is out of bounds. */
export function explodeIngredients(lines: readonly IngredientLine[], parents: number, path = '/quantity'): IngredientNeed[] {
  return lines.map((line) => ({
    ingredientId: line.row.id,
    itemId: line.row.ingredientItemId,
    quantity: calculateBoundedNeed(getNeedRatio(line), line.row.ingredientItemId, parents, path),
  }));
}

/** The need of one ingredient, an item, for `parents` (micro-units). Throws 400 for `path` if it is out of bounds. */
export function calculateBoundedNeed(ratio: NeedRatio, itemId: string, parents: number, path: string): number {
  const need = calculateNeed(ratio, parents);
  if (need < BOUND) return Number(need);
  throw invalidField(
    path,
    `The needed quantity of ingredient ${itemId} must be below ${String(NUMBER_BOUND)}; use a smaller quantity.`,
    'too_big',
  );
}

/** The exact need per micro-unit of a parent, in micro-units of the ingredient's stock unit. `step` is the smallest quantity of that unit. */
export interface NeedRatio {
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly step: bigint;
}

/** quantity ÷ perQuantity × (1 + waste) in the stock unit. */
export function getNeedRatio({ row, unit, stockUnit }: IngredientLine): NeedRatio {
  const ratio = getUnitRatio(unit ?? stockUnit, stockUnit);
  if (!ratio) throw new Error(`the unit of ingredient ${row.id} cannot be converted to the stock unit of its item`);
  return {
    numerator: BigInt(row.quantity) * (HUNDRED_PERCENT + BigInt(row.wastePercent)) * ratio.numerator,
    denominator: BigInt(row.perQuantity) * HUNDRED_PERCENT * ratio.denominator,
    step: getUnitStep(stockUnit),
  };
}

export const formatNeedRatio = ({ numerator, denominator, step }: NeedRatio): StoredNeedRatio => ({
  numerator: String(numerator),
  denominator: String(denominator),
  step: String(step),
});

export const parseNeedRatio = ({ numerator, denominator, step }: StoredNeedRatio): NeedRatio => ({
  numerator: BigInt(numerator),
  denominator: BigInt(denominator),
  step: BigInt(step),
});

/** The need for `parents` (micro-units), rounded up once to the precision of the unit. */
export function calculateNeed({ numerator, denominator, step }: NeedRatio, parents: number): bigint {
  const perStep = denominator * step;
  return ((numerator * BigInt(parents) + perStep - 1n) / perStep) * step;
}

/** Throws 409 if a new ingredient would create a cycle or nest items too deep. */
export async function checkCycleAndDepth(tx: ReadTx, parentId: string, childId: string): Promise<void> {
  const child = await measureDepth(tx, childId, parentId);
  if (child.cycle) {
    const isOwn = parentId === childId;
    const problem = isOwn
      ? 'An item cannot be its own ingredient.'
      : 'The ingredient contains this item, so the item would contain itself.';
    throw new StockroomError('BOM_CYCLE', problem, { details: { path: [parentId, ...child.cycle] } });
  }
  // Most parents are no ingredients themselves, which one quick query shows.
  if (child.depth + 1 <= INGREDIENTS_MAX_DEPTH && !(await isIngredient(tx, parentId))) return;
  const currentDepth = (await measureDepth(tx, parentId)).depth;
  // The new row matters only if it leads deeper than the present ones.
  if (child.depth + 1 <= currentDepth) return;
  if ((await measureHeight(tx, parentId)) + 1 + child.depth > INGREDIENTS_MAX_DEPTH) {
    throw new StockroomError('LIMIT_REACHED', `Items can be nested at most ${String(INGREDIENTS_MAX_DEPTH)} levels deep.`, {
      details: { limit: INGREDIENTS_MAX_DEPTH },
    });
  }
}

/** The number of ingredient levels of an item, or the path to `target` if the item contains it. */
async function measureDepth(tx: ReadTx, itemId: string, target?: string): Promise<{ depth: number; cycle?: string[] }> {
  if (itemId === target) return { depth: 0, cycle: [itemId] };
  const cameFrom = new Map<string, string | undefined>([[itemId, undefined]]);
  let level = new Set([itemId]);
  // Breadth first: an item occurs in one level per path to it, so the last level is the longest path. The bound ends the walk even if stored data has a cycle.
  for (let depth = 0; ; depth += 1) {
    const next = new Set<string>();
    for (const id of level) {
      for (const { ingredientItemId: child } of await listIngredients(tx, id)) {
        if (child === target) return { depth, cycle: [...buildPath(cameFrom, id), child] };
        if (!cameFrom.has(child)) cameFrom.set(child, id);
        next.add(child);
      }
    }
    if (next.size === 0 || depth > INGREDIENTS_MAX_DEPTH) return { depth };
    level = next;
  }
}

// More parents than a tenant has items.
const MAX_PARENTS = 10_000_000;

async function isIngredient(tx: ReadTx, itemId: string): Promise<boolean> {
  return (await tx.ingredients.listIdsAfter({ where: [{ field: 'ingredientItemId', equals: itemId }], limit: 1 })).ids.length > 0;
}

/** The number of levels of parents of an item. */
async function measureHeight(tx: ReadTx, itemId: string): Promise<number> {
  let level = new Set([itemId]);
  for (let height = 0; ; height += 1) {
    const next = new Set<string>();
    for (const id of level) {
      const where = [{ field: 'ingredientItemId', equals: id }];
      for (const row of (await tx.ingredients.listAfter({ where, limit: MAX_PARENTS })).rows) next.add(row.itemId);
    }
    if (next.size === 0 || height > INGREDIENTS_MAX_DEPTH) return height;
    level = next;
  }
}

function buildPath(cameFrom: ReadonlyMap<string, string | undefined>, id: string): string[] {
  const way: string[] = [];
  for (let at: string | undefined = id; at !== undefined; at = cameFrom.get(at)) way.unshift(at);
  return way;
}

/** The ingredients of an item in order of position. */
export async function listIngredients(tx: ReadTx, itemId: string): Promise<IngredientRecord[]> {
  const where = [{ field: 'itemId', equals: itemId }];
  return (await tx.ingredients.listAfter({ where, orderBy: 'position', limit: INGREDIENTS_MAX_ROWS })).rows;
}

/** The ingredients of several items, by item, each in order of position. Items without ingredients are missing. */
export async function listIngredientsOf(tx: ReadTx, itemIds: readonly string[]): Promise<Map<string, IngredientRecord[]>> {
  const [only] = itemIds;
  if (only === undefined) return new Map();
  const where = [itemIds.length === 1 ? { field: 'itemId', equals: only } : { field: 'itemId', in: itemIds }];
  const { rows } = await tx.ingredients.listAfter({ where, orderBy: 'position', limit: itemIds.length * INGREDIENTS_MAX_ROWS });
  return Map.groupBy(rows, ({ itemId }) => itemId);
}

/** The ingredients of an item with their items and units, in order of position. */
export async function loadRecipeLines(tx: ReadTx, itemId: string): Promise<readonly IngredientLine[]> {
  return (await loadIngredients(tx, [itemId])).get(itemId) ?? [];
}

/** The same for several items, by item. Items without ingredients are missing. */
export async function loadIngredients(tx: ReadTx, itemIds: readonly string[]): Promise<ReadonlyMap<string, readonly IngredientLine[]>> {
  const rowsByItem = await listIngredientsOf(tx, itemIds);
  const rows = [...rowsByItem.values()].flat();
  const items = await getReferencedRows(tx.items, rows, ({ ingredientItemId }) => ingredientItemId);
  const stockUnitIds = [...items.values()].map(({ unitId }) => unitId);
  const units = await getRowsById(tx.units, [...rows.map(({ unitId }) => unitId), ...stockUnitIds]);
  const toLine = (row: IngredientRecord): IngredientLine => {
    const item = items.get(row.ingredientItemId);
    if (!item) throw new Error(`the item of ingredient ${row.id} does not exist`);
    return { row, item, unit: units.get(row.unitId ?? '') ?? null, stockUnit: units.get(item.unitId ?? '') ?? null };
  };
  return new Map([...rowsByItem].map(([itemId, own]) => [itemId, own.map(toLine)]));
}
