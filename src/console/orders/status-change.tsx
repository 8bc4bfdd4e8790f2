/** Asks before the status of an order changes. Completing shows what it posts, and what is short. */
import { useState } from 'react';
import { type Order, type OrderStatus, updateOrder } from '../../contract/resources/orders.ts';
import { Check, Confirm, Labeled, Status } from '../ui/index.ts';

export const VERBS: Readonly<Record<OrderStatus, string>> = {
  draft: 'Back to draft',
  open: 'Open',
  in_progress: 'Start',
  waiting: 'Set waiting',
  completed: 'Complete',
  cancelled: 'Cancel order',
};

interface StatusChangeProps {
  readonly order: Pick<Order, 'id' | 'orderNumber' | 'status'>;
  readonly to: OrderStatus;
  readonly onClose: () => void;
}

export function StatusChange({ order, to, onClose }: StatusChangeProps) {
  const [isShort, setShort] = useState(false);
  const [reason, setReason] = useState('');
  const body = { status: to, ...(isShort && { stock: 'none' }), ...(reason.trim() !== '' && { cancelReason: reason.trim() }) };
  return (
    <Confirm
      title={`${VERBS[to]}: ${order.orderNumber}`}
      action={VERBS[to]}
      kind={to === 'cancelled' ? 'danger' : 'main'}
      isPreviewed={to === 'completed'}
      sample={{ op: updateOrder, parts: { params: { order_id: order.id }, body } }}
      onClose={onClose}
    >
      <p>
        <Status value={order.status} /> → <Status value={to} />
      </p>
      {to === 'completed' && <Check label="Close it short: post nothing more" isOn={isShort} onChange={setShort} />}
      {to === 'cancelled' && (
        <Labeled label="Reason">
          <input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
        </Labeled>
      )}
    </Confirm>
  );
}
