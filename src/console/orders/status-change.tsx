/** Asks before the status of an order changes. Completing shows what it posts, and what is short. */
import { useState } from 'react';
import { type Order, type OrderStatus, getOrder, updateOrder } from '../../contract/resources/orders.ts';
import { type OrderLine, getStockFlow } from '../../contract/resources/order-lines.ts';
import { listStockLevels } from '../../contract/resources/stock-levels.ts';
import { toLabel, useFormat } from '../api/format.ts';
import { useOperation } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Status } from '../ui/elements.tsx';
import { MiniTable } from '../ui/mini-table.tsx';

const VERBS: Readonly<Record<OrderStatus, string>> = {
  draft: 'Back to draft',
  open: 'Open',
  in_progress: 'Start',
  waiting: 'Set waiting',
  completed: 'Complete',
  cancelled: 'Cancel order',
};

export const getVerb = (to: OrderStatus): string => VERBS[to];

interface StatusChangeProps {
  readonly order: Pick<Order, 'id' | 'orderNumber' | 'module' | 'status' | 'siteId'>;
  readonly to: OrderStatus;
  readonly onClose: () => void;
}

export function StatusChange({ order, to, onClose }: StatusChangeProps) {
  const [isShort, setShort] = useState(false);
  const [reason, setReason] = useState('');
  const isCompletion = to === 'completed';
  const body = {
    status: to,
    ...(isCompletion && isShort && { stock: 'none' as const }),
    ...(to === 'cancelled' && reason.trim() !== '' && { cancelReason: reason.trim() }),
  };
  return (
    <Confirm
      title={`${getVerb(to)}: ${order.orderNumber}`}
      action={getVerb(to)}
      isDangerous={to === 'cancelled'}
      samples={[{ op: updateOrder, parts: { params: { order_id: order.id }, body } }]}
      onClose={onClose}
    >
      <p>
        <Status value={order.status} /> → <Status value={to} />
      </p>
      {isCompletion && !isShort && <PostedStock order={order} />}
      {isCompletion && (
        <label className="field check">
          <input type="checkbox" checked={isShort} onChange={(event) => setShort(event.target.checked)} />
          <span>Close it short: post nothing more</span>
        </label>
      )}
      {to === 'cancelled' && (
        <label className="field">
          <span>Reason</span>
          <input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
        </label>
      )}
    </Confirm>
  );
}

interface Need {
  readonly itemId: string;
  readonly name: string;
  readonly siteId: string | null;
  readonly quantity: number;
}

/** What remains of the lines that take stock or bring it, per item and site, in the unit of the item. */
function listNeeds(order: StatusChangeProps['order'], lines: readonly OrderLine[]): readonly Need[] {
  const needs = new Map<string, Need>();
  for (const line of lines) {
    const flow = getStockFlow(order.module, line.kind);
    if (flow === null || line.itemId === null || line.remainingQuantity === 0) continue;
    const siteId = line.siteId ?? order.siteId;
    const key = `${line.itemId} ${String(siteId)}`;
    const factor = line.quantity === 0 ? 1 : line.stockQuantity / line.quantity;
    const quantity = line.remainingQuantity * factor * (flow === 'incoming' ? 1 : -1);
    const before = needs.get(key);
    needs.set(key, { itemId: line.itemId, siteId, name: line.itemName ?? line.description, quantity: quantity + (before?.quantity ?? 0) });
  }
  return [...needs.values()];
}

function PostedStock({ order }: Pick<StatusChangeProps, 'order'>) {
  const { number } = useFormat();
  const { data } = useOperation(getOrder, { params: { order_id: order.id }, query: { include: 'lines' } });
  const needs = listNeeds(order, data?.data.lines ?? []);
  const itemIds = [...new Set(needs.map(({ itemId }) => itemId))].slice(0, 100);
  const levels = useOperation(
    listStockLevels,
    { query: { item_id: itemIds.join(','), include_zero: true, page_size: 200 } },
    { enabled: itemIds.length > 0 },
  );
  if (!data || (itemIds.length > 0 && !levels.data)) return <p className="soft">Reading stock…</p>;
  if (needs.length === 0) return <p>Everything was posted already.</p>;
  const rows = needs.map((need) => {
    const found = levels.data?.data.filter(
      ({ itemId, siteId }) => itemId === need.itemId && (need.siteId === null || siteId === need.siteId),
    );
    const onHand = found?.reduce((sum, level) => sum + level.onHand, 0) ?? 0;
    return { ...need, onHand, after: onHand + need.quantity };
  });
  const short = rows.filter(({ quantity, after }) => quantity < 0 && after < 0);
  return (
    <>
      {short.length > 0 && (
        <p className="form-error" role="alert">
          {short.length === 1 ? `${short[0]?.name ?? ''} is short.` : `${String(short.length)} items are short.`} Ship a part, or order more
          first.
        </p>
      )}
      <MiniTable
        label="Stock after completion"
        rows={rows}
        empty=""
        columns={[
          { title: 'Item', render: ({ name }) => name },
          { title: 'On hand', isNumber: true, render: ({ onHand }) => number(onHand) },
          { title: 'Change', isNumber: true, render: ({ quantity }) => (quantity > 0 ? `+${number(quantity)}` : number(quantity)) },
          {
            title: 'After',
            isNumber: true,
            render: ({ after, quantity }) => <span className={quantity < 0 && after < 0 ? 'bad-text' : undefined}>{number(after)}</span>,
          },
        ]}
      />
      <p className="soft">{toLabel(order.module)} orders post what remains of their lines.</p>
    </>
  );
}
