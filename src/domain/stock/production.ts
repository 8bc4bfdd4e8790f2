/**
 * Components and outputs that the productions of a make order have posted. The value of components goes into the outputs (D-16),
 * whichever is posted first. All numbers are in micro-units.
 */
import { scaleRounded } from '../kernel/numbers.ts';
import { type LevelKey, toLevelId } from './levels.ts';
import { type LedgerRecord, isVariance } from './records.ts';
import type { ReadTx } from '../tables.ts';

/**
 * The value of components less that of outputs: for the entries of an order, what is not in its outputs yet. Negative when components were
 * returned whose value is still in the outputs. Variances do not count: their value is in no output of the order.
 */
export const sumInputValue = (entries: readonly Pick<LedgerRecord, 'valueDelta' | 'revaluation'>[]): number =>
  entries.reduce((total, entry) => (isVariance(entry) ? total : total - entry.valueDelta), 0);

export interface EarlierOutput extends LevelKey {
  readonly quantity: number;
}

/** The quantities of the outputs among the production entries of an order, per level, without reversed ones. */
export function toEarlierOutputs(entries: readonly LedgerRecord[]): EarlierOutput[] {
  const reversedSeqs = new Set(entries.map(({ reversalOf }) => reversalOf));
  const outputs = entries.filter(
    ({ seq, quantityDelta, reversalOf }) => quantityDelta > 0 && reversalOf === null && !reversedSeqs.has(seq),
  );
  return [...Map.groupBy(outputs, toLevelId).values()].flatMap((levelEntries) => {
    const [first] = levelEntries;
    const quantity = levelEntries.reduce((sum, { quantityDelta }) => sum + quantityDelta, 0);
    return first ? [{ itemId: first.itemId, siteId: first.siteId, quantity }] : [];
  });
}

/** Splits a value in proportion to quantities. The shares add up to the value exactly. */
export function splitValue(value: number, quantities: readonly number[]): number[] {
  const totalQuantity = quantities.reduce((sum, quantity) => sum + BigInt(quantity), 0n);
  if (totalQuantity === 0n) return quantities.map(() => 0);
  let [cumulativeQuantity, allocated] = [0n, 0];
  return quantities.map((quantity) => {
    cumulativeQuantity += BigInt(quantity);
    const cumulativeValue = scaleRounded(value, cumulativeQuantity, totalQuantity);
    const share = cumulativeValue - allocated;
    allocated = cumulativeValue;
    return share;
  });
}

/** The ledger entries of the order's production documents. Its other documents do not count as production. */
export async function listProductionEntries(tx: ReadTx, orderId: string): Promise<readonly LedgerRecord[]> {
  const documents = await tx.stockDocuments.getMany((await tx.orders.get(orderId))?.stockDocumentIds ?? []);
  const productions = documents.flatMap((document) => (document?.type === 'production' ? [document.id] : []));
  if (productions.length === 0) return [];
  return (await tx.ledger.listAfter({ where: [{ field: 'documentId', in: productions }], limit: Number.MAX_SAFE_INTEGER })).rows;
}
