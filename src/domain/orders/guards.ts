/** The lines, contact and items that an order needs to be open (D-2). */
import { StockroomError } from '../kernel/errors.ts';
import { checkContactForOpening } from '../contacts/order-roles.ts';
import { listEmptyCombos } from './combos.ts';
import type { OrderLineRecord, OrderRecord } from './records.ts';
import { listAllowedTransitions } from './status-transitions.ts';
import type { LineKind } from '../../contract/resources/order-lines.ts';
import type { OrderModule, OrderStatus } from '../../contract/resources/orders.ts';
import type { ReadTx } from '../tables.ts';

/** Kinds of lines that an order of the module needs at least one of each. Other modules need one line of any kind. */
const REQUIRED_KINDS: Readonly<Partial<Record<OrderModule, readonly LineKind[]>>> = {
  make: ['output', 'component'],
  check: ['inspection'],
};

/** Throws unless the order can be opened. `from` is its current status, null for a new order. */
export async function checkCanOpen(
  tx: ReadTx,
  order: OrderRecord,
  lines: readonly OrderLineRecord[],
  from: OrderStatus | null,
): Promise<void> {
  const missing = describeMissingLines(order.module, lines);
  const allowed = from === null ? ['draft'] : listAllowedTransitions(from).filter((status) => status !== 'open');
  if (missing !== undefined) {
    throw new StockroomError('INVALID_TRANSITION', `The order cannot be opened: add ${missing} first.`, {
      details: { from, to: 'open', allowed, missing },
    });
  }
  await checkContactForOpening(tx, order.module, order.contactId);
  const items = (await tx.items.getMany(order.itemIds)).filter((item) => item !== undefined);
  const inactive = items.filter((item) => !item.isActive);
  if (inactive.length > 0) {
    const names = inactive.map((item) => item.name).join(', ');
    throw new StockroomError('INACTIVE_REFERENCE', `The order cannot be opened: activate or replace the inactive items first: ${names}.`, {
      details: { itemIds: inactive.map((item) => item.id) },
    });
  }
  const emptyCombos = order.module === 'sell' ? await listEmptyCombos(tx, items) : [];
  if (emptyCombos.length > 0) {
    const names = emptyCombos.map((item) => item.name).join(', ');
    throw new StockroomError(
      'INVALID_TRANSITION',
      `The order cannot be opened: add ingredients to the combos without any first: ${names}.`,
      {
        details: { from, to: 'open', allowed, itemIds: emptyCombos.map((item) => item.id) },
      },
    );
  }
}

/** Throws if an open order would lose a line that it needs to be open. */
export function checkRemainsOpenable(order: OrderRecord, lines: readonly OrderLineRecord[]): void {
  const missing = describeMissingLines(order.module, lines);
  if (missing === undefined) return;
  throw new StockroomError(
    'FIELD_LOCKED',
    `${order.orderNumber} is ${order.status} and needs ${missing}. Set its status to draft or cancelled instead.`,
    {
      details: { fields: ['lines'], status: order.status, missing },
    },
  );
}

function describeMissingLines(module: OrderModule, lines: readonly OrderLineRecord[]): string | undefined {
  if (lines.length === 0) return 'at least one line';
  const missingKinds = (REQUIRED_KINDS[module] ?? []).filter((kind) => !lines.some((line) => line.kind === kind));
  return missingKinds.length === 0 ? undefined : missingKinds.map((kind) => `at least one ${kind} line`).join(' and ');
}
