/** Bills of materials: how much of each ingredient a number of parents needs, and that no item ever contains itself. D-10. */
import { INGREDIENTS_MAX_DEPTH, INGREDIENTS_MAX_ROWS, NUMBER_BOUND } from '../contract/limits.ts';
import { StockroomError, invalidField } from './errors.ts';
import type { IngredientRecord } from './ingredients.ts';
import type { ItemRecord } from './items.ts';
import { MICRO } from './numbers.ts';
import type { UnitRecord } from './settings.ts';
import type { ReadTx } from './tables.ts';
import { ratioOf, stepOf, unitOf } from './units.ts';

/** A row of a recipe with its item, the unit it is written in, and the unit its item is stocked in. */
export interface Part {
  readonly row: IngredientRecord;
  readonly item: ItemRecord;
  readonly unit: UnitRecord | null;
  readonly stockUnit: UnitRecord | null;
}

export interface Need {
  readonly ingredientId: string;
  readonly itemId: string;
  /** Micro-units of the item's stock unit. */
  readonly quantity: number;
}

const MICRO_BIG = BigInt(MICRO);
const WHOLE = 100n * MICRO_BIG;
const BOUND = BigInt(NUMBER_BOUND) * MICRO_BIG;

/** What `parents` (micro-units) of an item need of each of its parts, one level deep. `path` names the asking field when a need is out of bounds. */
export function explode(parts: readonly Part[], parents: number, path = '/quantity'): Need[] {
  return parts.map((part) => ({ ingredientId: part.row.id, itemId: part.row.ingredientItemId, quantity: needOf(part, parents, path) }));
}

function needOf(part: Part, parents: number, path: string): number {
  const need = needFor(needRatio(part), parents);
  if (need < BOUND) return Number(need);
  throw invalidField(
    path,
    `This many would need ${String(NUMBER_BOUND)} or more of the ingredient ${part.row.ingredientItemId}; ask for less.`,
    'too_big',
  );
}

/** What one micro-unit of a parent needs of a part: exact, in micro-units of its stock unit, told in steps of that unit. */
export interface NeedRatio {
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly step: bigint;
}

/** quantity ÷ perQuantity × (1 + waste) in the stock unit. */
export function needRatio({ row, unit, stockUnit }: Part): NeedRatio {
  const ratio = ratioOf(unit ?? stockUnit, stockUnit);
  if (!ratio) throw new Error(`ingredient ${row.id} is written in a unit that its item cannot be measured in`);
  return {
    numerator: BigInt(row.quantity) * (WHOLE + BigInt(row.wastePercent)) * ratio.numerator,
    denominator: BigInt(row.perQuantity) * WHOLE * ratio.denominator,
    step: stepOf(stockUnit),
  };
}

/** The need of `parents` (micro-units), rounded once: up, to what the unit can tell. */
export function needFor({ numerator, denominator, step }: NeedRatio, parents: number): bigint {
  const perStep = denominator * step;
  return ((numerator * BigInt(parents) + perStep - 1n) / perStep) * step;
}

/** Refuses a new row parent ← child that would close a circle or make a chain longer than items may be nested. */
export async function checkNesting(tx: ReadTx, parentId: string, childId: string): Promise<void> {
  const below = await levelsBelow(tx, childId, parentId);
  if (below.circle) {
    throw new StockroomError('BOM_CYCLE', 'The ingredient contains this item, so the item would contain itself.', {
      details: { path: [parentId, ...below.circle] },
    });
  }
  // Nothing is above most items that get a row, and that is known at once.
  if (below.depth + 1 <= INGREDIENTS_MAX_DEPTH && !(await isIngredient(tx, parentId))) return;
  const now = (await levelsBelow(tx, parentId)).depth;
  // The chains through the parent grow only when the new row leads deeper than its present ones.
  if (below.depth + 1 <= now) return;
  if ((await levelsAbove(tx, parentId)) + 1 + below.depth > INGREDIENTS_MAX_DEPTH) {
    throw new StockroomError(
      'LIMIT_REACHED',
      `Items can be nested ${String(INGREDIENTS_MAX_DEPTH)} levels deep, and this would be deeper.`,
      {
        details: { limit: INGREDIENTS_MAX_DEPTH },
      },
    );
  }
}

/** How many levels of ingredients an item has; the way down to `target`, when there is one. */
async function levelsBelow(tx: ReadTx, itemId: string, target?: string): Promise<{ depth: number; circle?: string[] }> {
  if (itemId === target) return { depth: 0, circle: [itemId] };
  const cameFrom = new Map<string, string | undefined>([[itemId, undefined]]);
  let level = new Set([itemId]);
  // An item is in as many levels as there are ways to it, so the last level tells the longest way; the bound ends the walk whatever is stored.
  for (let depth = 0; ; depth += 1) {
    const next = new Set<string>();
    for (const id of level) {
      for (const { ingredientItemId: child } of await rowsOf(tx, id)) {
        if (child === target) return { depth, circle: [...wayTo(cameFrom, id), child] };
        if (!cameFrom.has(child)) cameFrom.set(child, id);
        next.add(child);
      }
    }
    if (next.size === 0 || depth > INGREDIENTS_MAX_DEPTH) return { depth };
    level = next;
  }
}

// More parents than a tenant has items.
const PARENTS_MAX_ROWS = 10_000_000;

async function isIngredient(tx: ReadTx, itemId: string): Promise<boolean> {
  return (await tx.ingredients.idsAfter({ where: [{ field: 'ingredientItemId', equals: itemId }], limit: 1 })).ids.length > 0;
}

/** How many levels of parents an item has. */
async function levelsAbove(tx: ReadTx, itemId: string): Promise<number> {
  let level = new Set([itemId]);
  for (let height = 0; ; height += 1) {
    const next = new Set<string>();
    for (const id of level) {
      const where = [{ field: 'ingredientItemId', equals: id }];
      for (const row of (await tx.ingredients.after({ where, limit: PARENTS_MAX_ROWS })).rows) next.add(row.itemId);
    }
    if (next.size === 0 || height > INGREDIENTS_MAX_DEPTH) return height;
    level = next;
  }
}

function wayTo(cameFrom: ReadonlyMap<string, string | undefined>, id: string): string[] {
  const way: string[] = [];
  for (let at: string | undefined = id; at !== undefined; at = cameFrom.get(at)) way.unshift(at);
  return way;
}

/** The ingredient rows of an item, in their order. */
export async function rowsOf(tx: ReadTx, itemId: string): Promise<IngredientRecord[]> {
  const where = [{ field: 'itemId', equals: itemId }];
  return (await tx.ingredients.after({ where, orderBy: 'position', limit: INGREDIENTS_MAX_ROWS })).rows;
}

/** The recipe of an item, in its order, with what `explode` and a reader need to know about each row. */
export async function partsOf(tx: ReadTx, itemId: string): Promise<Part[]> {
  const rows = await rowsOf(tx, itemId);
  const items = await tx.items.getMany(rows.map((row) => row.ingredientItemId));
  const parts: Part[] = [];
  for (const [index, row] of rows.entries()) {
    const item = items[index];
    if (!item) throw new Error(`ingredient ${row.id} names an item that is not there`);
    parts.push({ row, item, unit: await unitOf(tx, row.unitId), stockUnit: await unitOf(tx, item.unitId) });
  }
  return parts;
}
