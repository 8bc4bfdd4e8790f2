/** Checks that a draft document can be submitted (D-14). */
import { StockroomError } from '../kernel/errors.ts';
import type { StockDocumentRecord, StockLineRecord } from './records.ts';
import { checkOutstanding } from './document-states.ts';
import type { ReadTx } from '../tables.ts';

/** Throws a 409 unless the draft can be submitted. */
export async function checkCanSubmit(tx: ReadTx, document: StockDocumentRecord, lines: readonly StockLineRecord[]): Promise<void> {
  const { documentNumber, type, orderId } = document;
  const missing = lines.length === 0 ? 'a line' : type === 'production' && hasNoOutput(lines) ? 'a line with direction in' : undefined;
  if (missing !== undefined) {
    throw new StockroomError('INVALID_STATE', `${documentNumber} cannot be submitted: add ${missing} first.`, {
      details: { status: document.status, missing },
    });
  }
  const order = orderId === null ? undefined : await tx.orders.get(orderId);
  if (order) checkOutstanding(order);
  const orderItemIds = new Set(lines.filter(({ orderLineId }) => orderLineId !== null).map(({ itemId }) => itemId));
  const items = (await tx.items.getMany(document.itemIds)).filter((item) => item !== undefined);
  const inactive = items.filter(({ id, isActive }) => !isActive && !orderItemIds.has(id));
  if (inactive.length > 0) {
    const names = inactive.map(({ name }) => name).join(', ');
    throw new StockroomError(
      'INACTIVE_REFERENCE',
      `${documentNumber} cannot be submitted: activate or replace the inactive items first: ${names}.`,
      {
        details: { itemIds: inactive.map(({ id }) => id) },
      },
    );
  }
  const combo = items.find(({ itemType }) => itemType === 'combo');
  if (combo) {
    throw new StockroomError(
      'INVALID_ITEM_TYPE',
      `${documentNumber} cannot be submitted: ${combo.name} is now a combo, which has no stock of its own. Replace it with its parts.`,
      {
        details: { itemId: combo.id, itemType: combo.itemType },
      },
    );
  }
}

/** A production without outputs would lose the value of its components (D-25); components are consumed with an issue instead. */
const hasNoOutput = (lines: readonly StockLineRecord[]): boolean =>
  lines.every(({ direction, orderLineId }) => direction === 'out' && orderLineId === null);
