/** The numbers of a document line as a body gives them: how much, and at which cost. D-12. */
import type { DocumentType } from '../contract/stock-documents.ts';
import type { StockLinePatch } from '../contract/stock-lines.ts';
import { invalidField } from './errors.ts';
import { toMicro, toPositiveMicro } from './numbers.ts';
import type { StockLineRecord } from './stock-records.ts';

export type Amounts = Pick<StockLineRecord, 'quantity' | 'countedQuantity' | 'expectedQuantity'>;

/** How much the line says, in its own unit. */
export function amountsOf(type: DocumentType, wanted: StockLinePatch, before: StockLineRecord | undefined, path: string): Amounts {
  if (type === 'count') {
    const at = `${path}/countedQuantity`;
    const kept = wanted.countedQuantity === undefined ? (before?.countedQuantity ?? null) : null;
    const countedQuantity = typeof wanted.countedQuantity === 'number' ? toMicro(wanted.countedQuantity, at) : kept;
    if (countedQuantity === null) throw invalidField(at, `${at} is required; 0 means that nothing is there`, 'required');
    const { expectedQuantity: wire } = wanted;
    const expected = wire === undefined ? (before?.expectedQuantity ?? null) : null;
    const expectedQuantity = typeof wire === 'number' ? toMicro(wire, `${path}/expectedQuantity`) : expected;
    return { quantity: null, countedQuantity, expectedQuantity };
  }
  return { quantity: quantityOf(type, wanted, before, `${path}/quantity`), countedQuantity: null, expectedQuantity: null };
}

function quantityOf(type: DocumentType, { quantity }: StockLinePatch, before: StockLineRecord | undefined, path: string): number {
  const known = quantity === undefined ? (before?.quantity ?? null) : null;
  if (typeof quantity !== 'number') {
    if (known === null) throw invalidField(path, `${path} is required`, 'required');
    return known;
  }
  if (type !== 'adjustment') return toPositiveMicro(quantity, path);
  const micro = toMicro(quantity, path);
  if (micro === 0) throw invalidField(path, `${path} must not be 0: more than 0 adds to stock, less takes away`, 'invalid');
  return micro;
}

/** The cost per stock unit that the line says; null: it is found at approval. */
export function costOf(
  { unitCost }: StockLinePatch,
  same: StockLineRecord | undefined,
  quantity: number | null,
  path: string,
): number | null {
  const cost = unitCost === undefined ? (same?.unitCost ?? null) : unitCost === null ? null : toMicro(unitCost, path);
  if (cost === null || quantity === null || quantity > 0) return cost;
  // A line that turns into a loss loses its cost; one that says so is wrong.
  if (typeof unitCost !== 'number') return null;
  throw invalidField(path, `${path} belongs to what comes in; what goes out counts at the average cost`, 'not_allowed');
}
