/** Guard A (D-2): what an order must have before it is promised to anybody, and as long as it is. */
import { StockroomError } from './errors.ts';
import { checkContactToOpen } from './order-contacts.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import { allowedFrom } from './order-transitions.ts';
import type { LineKind } from '../contract/order-lines.ts';
import type { OrderModule, OrderStatus } from '../contract/orders.ts';
import type { ReadTx } from './tables.ts';

/** Kinds of which the module needs at least one line each; the others need one line of any kind. */
const NEEDED: Readonly<Partial<Record<OrderModule, readonly LineKind[]>>> = { make: ['output', 'component'], check: ['inspection'] };

/** Throws when the order is not fit to open: `from` is the status it would leave, null for a new order. */
export async function checkFitToOpen(
  tx: ReadTx,
  order: OrderRecord,
  lines: readonly OrderLineRecord[],
  from: OrderStatus | null,
): Promise<void> {
  const missing = missingLines(order.module, lines);
  if (missing !== undefined) {
    const allowed = from === null ? ['draft'] : allowedFrom(from).filter((status) => status !== 'open');
    throw new StockroomError('INVALID_TRANSITION', `The order cannot open: it needs ${missing} first.`, {
      details: { from, to: 'open', allowed, missing },
    });
  }
  await checkContactToOpen(tx, order.module, order.contactId);
  const items = (await tx.items.getMany(order.itemIds)).filter((item) => item !== undefined);
  const inactive = items.filter((item) => !item.isActive);
  if (inactive.length > 0) {
    const names = inactive.map((item) => item.name).join(', ');
    throw new StockroomError('INACTIVE_REFERENCE', `The order cannot open: activate or replace the inactive ${names}.`, {
      details: { itemIds: inactive.map((item) => item.id) },
    });
  }
}

/** An order that is open already must not lose the lines that let it open. */
export function checkStaysFit(order: OrderRecord, lines: readonly OrderLineRecord[]): void {
  const missing = missingLines(order.module, lines);
  if (missing === undefined) return;
  throw new StockroomError(
    'FIELD_LOCKED',
    `${order.orderNumber} is ${order.status} and needs ${missing}; put it back to draft or cancel it instead.`,
    {
      details: { fields: ['lines'], status: order.status, missing },
    },
  );
}

function missingLines(module: OrderModule, lines: readonly OrderLineRecord[]): string | undefined {
  if (lines.length === 0) return 'at least one line';
  const absent = (NEEDED[module] ?? []).filter((kind) => !lines.some((line) => line.kind === kind));
  return absent.length === 0 ? undefined : absent.map((kind) => `at least one ${kind} line`).join(' and ');
}
