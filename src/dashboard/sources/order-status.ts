/** Changes the status of an order, after a dry run that shows the effect on stock. */
import type { Client } from '../../client/client.ts';
import { toRequest } from '../../client/request.ts';
import { type OrderDetail, type OrderStatus, getOrder, updateOrder } from '../../contract/resources/orders.ts';
import type { StatusPreview } from '../state/model.ts';

/** Fails if the order has changed since `version`. */
async function setStatus(api: Client, orderId: string, to: OrderStatus, version: string, isDryRun: boolean): Promise<OrderDetail> {
  const query = isDryRun ? { dry_run: true } : {};
  const request = toRequest(updateOrder, { params: { order_id: orderId }, query, body: { status: to } });
  const reply = await api.send({ ...request, headers: { 'if-match': `"${version}"` } });
  return (reply.body as { readonly data: OrderDetail }).data;
}

/** What the status would do to the stock, without changing anything. */
export async function previewOrderStatus(api: Client, orderId: string, to: OrderStatus): Promise<StatusPreview> {
  const { updatedAt: version } = (await api.perform(getOrder, { params: { order_id: orderId } })).body.data;
  const { lines = [], stockEffects = [] } = await setStatus(api, orderId, to, version, true);
  const names = new Map(lines.map(({ itemId, description }) => [itemId, description]));
  const effects = stockEffects.map(({ itemId, sku, quantityDelta, onHandAfter, committedAfter, availableAfter }) => ({
    item: [sku, names.get(itemId)].filter((part) => typeof part === 'string' && part !== '').join('  '),
    change: quantityDelta,
    onHand: onHandAfter,
    committed: committedAfter,
    available: availableAfter,
  }));
  return { version, effects };
}

/** Fails if the order is not as it was in the preview. */
export async function changeOrderStatus(api: Client, orderId: string, to: OrderStatus, { version }: StatusPreview): Promise<void> {
  await setStatus(api, orderId, to, version, false);
}
