/** Quantities and unit cost of a stock document line, from a request body. D-12. */
import type { DocumentType } from '../../../contract/resources/stock-documents.ts';
import type { StockLinePatch } from '../../../contract/resources/stock-lines.ts';
import { invalidField } from '../../kernel/errors.ts';
import { toMicro, toPositiveMicro } from '../../kernel/numbers.ts';
import type { StockLineRecord } from '../records.ts';

export type StockLineAmounts = Pick<StockLineRecord, 'quantity' | 'countedQuantity'>;

/** The quantities of the line, in its own unit. */
export function resolveAmounts(
  type: DocumentType,
  patch: StockLinePatch,
  before: StockLineRecord | undefined,
  path: string,
): StockLineAmounts {
  if (type === 'count') {
    const fieldPath = `${path}/countedQuantity`;
    const keptQuantity = patch.countedQuantity === undefined ? (before?.countedQuantity ?? null) : null;
    const countedQuantity = typeof patch.countedQuantity === 'number' ? toMicro(patch.countedQuantity, fieldPath) : keptQuantity;
    if (countedQuantity === null) throw invalidField(fieldPath, `${fieldPath} is required; use 0 when nothing is there`, 'required');
    return { quantity: null, countedQuantity };
  }
  if (type === 'revaluation') return { quantity: null, countedQuantity: null };
  return { quantity: resolveQuantity(type, patch, before, `${path}/quantity`), countedQuantity: null };
}

function resolveQuantity(type: DocumentType, { quantity }: StockLinePatch, before: StockLineRecord | undefined, path: string): number {
  const keptQuantity = quantity === undefined ? (before?.quantity ?? null) : null;
  if (typeof quantity !== 'number') {
    if (keptQuantity === null) throw invalidField(path, `${path} is required`, 'required');
    return keptQuantity;
  }
  if (type !== 'adjustment') return toPositiveMicro(quantity, path);
  const micro = toMicro(quantity, path);
  if (micro === 0) throw invalidField(path, `${path} must not be 0; positive adds stock, negative removes it`, 'invalid');
  return micro;
}

/** The cost per stock unit of the line; null when it is determined at approval. */
export function resolveUnitCost(
  type: DocumentType,
  { unitCost }: StockLinePatch,
  sameItemLine: StockLineRecord | undefined,
  quantity: number | null,
  path: string,
): number | null {
  const cost = unitCost === undefined ? (sameItemLine?.unitCost ?? null) : unitCost === null ? null : toMicro(unitCost, path);
  if (cost === null && type === 'revaluation') throw invalidField(path, `${path} is required: the new cost per stock unit`, 'required');
  if (cost === null || quantity === null || quantity > 0) return cost;
  // A line that changes to an outgoing quantity drops its cost; setting a cost on one is an error.
  if (typeof unitCost !== 'number') return null;
  throw invalidField(path, `${path} is for incoming stock only; outgoing stock is valued at its average cost`, 'not_allowed');
}
