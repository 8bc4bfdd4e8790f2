/** What a document must have before it is announced to the stock levels (D-14). */
import { StockroomError } from './errors.ts';
import type { StockDocumentRecord, StockLineRecord } from './stock-records.ts';
import { checkOutstanding } from './stock-states.ts';
import type { ReadTx } from './tables.ts';

/** 409 when the draft is not fit to be submitted. */
export async function checkFitToSubmit(tx: ReadTx, document: StockDocumentRecord, lines: readonly StockLineRecord[]): Promise<void> {
  const { documentNumber, type, orderId } = document;
  const missing = lines.length === 0 ? 'a line' : type === 'production' && isLoss(lines) ? 'a line with direction in' : undefined;
  if (missing !== undefined) {
    throw new StockroomError('INVALID_STATE', `${documentNumber} cannot be submitted: it needs ${missing} first.`, {
      details: { status: document.status, missing },
    });
  }
  const order = orderId === null ? undefined : await tx.orders.get(orderId);
  if (order) checkOutstanding(order);
  const promised = new Set(lines.filter(({ orderLineId }) => orderLineId !== null).map(({ itemId }) => itemId));
  const items = (await tx.items.getMany(document.itemIds)).filter((item) => item !== undefined);
  const inactive = items.filter(({ id, isActive }) => !isActive && !promised.has(id));
  if (inactive.length > 0) {
    const names = inactive.map(({ name }) => name).join(', ');
    throw new StockroomError('INACTIVE_REFERENCE', `${documentNumber} cannot be submitted: activate or replace the inactive ${names}.`, {
      details: { itemIds: inactive.map(({ id }) => id) },
    });
  }
  const combo = items.find(({ itemType }) => itemType === 'combo');
  if (combo) {
    throw new StockroomError(
      'INVALID_ITEM_TYPE',
      `${documentNumber} cannot be submitted: ${combo.name} has become a combo, which is not kept in stock.`,
      {
        details: { itemId: combo.id, itemType: combo.itemType },
      },
    );
  }
}

/** ours: a production without anything made would let the value of its parts vanish (invariant 7); an issue is the way to use up parts. */
const isLoss = (lines: readonly StockLineRecord[]): boolean =>
  lines.every(({ direction, orderLineId }) => direction === 'out' && orderLineId === null);
