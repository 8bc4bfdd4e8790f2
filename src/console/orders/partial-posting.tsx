/** Receives or ships a part of an order: one stock document, shown with its effect before it is posted. */
import { useState } from 'react';
import type { OrderDetail } from '../../contract/resources/orders.ts';
import { createStockDocument } from '../../contract/resources/stock-documents.ts';
import { Confirm, MiniTable, QuantityInput, parseQuantity } from '../ui/index.ts';

export function PartialPosting({ order, onClose }: { readonly order: OrderDetail; readonly onClose: () => void }) {
  const lines = (order.lines ?? []).filter(({ itemId, remainingQuantity }) => itemId !== null && remainingQuantity > 0);
  const [quantities, setQuantities] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(lines.map(({ id, remainingQuantity }) => [id, String(remainingQuantity)])),
  );
  const [verb, type] = order.module === 'buy' ? (['Receive', 'receipt'] as const) : (['Ship', 'issue'] as const);
  const chosen = lines.flatMap(({ id, itemId, unitId }) => {
    const quantity = parseQuantity(quantities[id]);
    return quantity > 0 ? [{ itemId, orderLineId: id, unitId, quantity }] : [];
  });
  return (
    <Confirm
      title={`${verb} a part of ${order.orderNumber}`}
      action={verb}
      size="large"
      isReady={chosen.length > 0}
      isPreviewed={chosen.length > 0}
      sample={{ op: createStockDocument, parts: { body: { type, orderId: order.id, lines: chosen }, query: { approve: true } } }}
      onClose={onClose}
    >
      <MiniTable
        label="Quantities"
        rows={lines}
        empty="Everything was posted already"
        columns={[
          { title: 'Item', value: ({ itemName, description }) => itemName ?? description },
          { title: 'Remaining', value: 'remainingQuantity', unit: ({ unit }) => unit },
          {
            title: `${verb} now`,
            isNumber: true,
            value: ({ id }) => quantities[id],
            render: ({ id, itemName }) => (
              <QuantityInput
                label={`${verb} now: ${itemName ?? ''}`}
                value={quantities[id]}
                onChange={(text) => setQuantities({ ...quantities, [id]: text })}
              />
            ),
          },
        ]}
      />
    </Confirm>
  );
}
