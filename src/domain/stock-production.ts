/**
 * What a make order has used up and made in several documents. ours: the value of its parts goes into what is made of them (invariant 7),
 * whichever of the two is posted first. All numbers are micro-units.
 */
import { scaleRounded } from './numbers.ts';
import type { OrderLineRecord } from './order-records.ts';
import { requirementsOf } from './order-stock.ts';
import { type Place, levelId } from './stock-levels.ts';
import type { LedgerRecord } from './stock-records.ts';
import type { ReadTx } from './tables.ts';

/**
 * What the parts were worth that were posted for an order before, without anything made of them yet. Negative: parts were taken back
 * whose value is still in what was made of them.
 */
export async function unmade(tx: ReadTx, orderId: string | null): Promise<number> {
  const entries = orderId === null ? [] : await entriesOf(tx, orderId);
  return entries.reduce((sum, { valueDelta }) => sum - valueDelta, 0);
}

/** How much was made for an order, by place, less what was taken back. */
export async function madeBefore(tx: ReadTx, orderId: string): Promise<(Place & { readonly quantity: number })[]> {
  const entries = await entriesOf(tx, orderId);
  const undone = new Set(entries.map(({ reversalOf }) => reversalOf));
  const made = entries.filter(({ seq, quantityDelta, reversalOf }) => quantityDelta > 0 && reversalOf === null && !undone.has(seq));
  return [...Map.groupBy(made, levelId).values()].flatMap((atPlace) => {
    const [first] = atPlace;
    const quantity = atPlace.reduce((sum, { quantityDelta }) => sum + quantityDelta, 0);
    return first ? [{ itemId: first.itemId, siteId: first.siteId, quantity }] : [];
  });
}

/** Whether the order has made all that it is to make. */
export function isAllMade(orderLines: readonly OrderLineRecord[]): boolean {
  const outputs = orderLines.filter(({ kind }) => kind === 'output');
  return outputs.length > 0 && outputs.every((line) => requirementsOf(line).every(({ remaining }) => remaining === 0));
}

/** ours: several things made together share the value of the parts by their quantities, so that nothing is lost by rounding. */
export function sharesOf(value: number, quantities: readonly number[]): number[] {
  const whole = quantities.reduce((sum, quantity) => sum + BigInt(quantity), 0n);
  if (whole === 0n) return quantities.map(() => 0);
  let [quantity, given] = [0n, 0];
  return quantities.map((own) => {
    quantity += BigInt(own);
    const upTo = scaleRounded(value, quantity, whole);
    const share = upTo - given;
    given = upTo;
    return share;
  });
}

/** The ledger entries of the order's productions. What other documents of it brought in or took out is no part of what it makes. */
async function entriesOf(tx: ReadTx, orderId: string): Promise<readonly LedgerRecord[]> {
  const documents = await tx.stockDocuments.getMany((await tx.orders.get(orderId))?.stockDocumentIds ?? []);
  const productions = documents.flatMap((each) => (each?.type === 'production' ? [each.id] : []));
  if (productions.length === 0) return [];
  return (await tx.ledger.after({ where: [{ field: 'documentId', in: productions }], limit: Number.MAX_SAFE_INTEGER })).rows;
}
