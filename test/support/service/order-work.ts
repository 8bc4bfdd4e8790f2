/** Clients that create items and orders and complete the orders, until the stock is used up. */
import type { FailoverClient } from './failover-client.ts';

export interface Shop {
  /** The item of all orders. */
  readonly item: string;
  readonly customer: string;
  /** Items and orders whose creation was acknowledged. */
  readonly announced: Set<string>;
  /** Orders whose completion was acknowledged. */
  readonly completed: Set<string>;
  /** Orders that could not be completed, because the stock was used up. */
  readonly rejected: Set<string>;
}

/** Creates a record and returns it. */
export async function create(
  client: FailoverClient,
  path: string,
  draft: object,
  first = 0,
): Promise<{ id: string; [field: string]: unknown }> {
  const { status, body } = await client.send('POST', path, draft, first);
  if (status !== 201) throw new Error(`POST ${path}: ${String(status)} ${JSON.stringify(body)}`);
  return (body as { data: { id: string } }).data;
}

/** An item with so much stock, and a customer. */
export async function openShop(client: FailoverClient, stock: number): Promise<Shop> {
  const { id: item } = await create(client, '/v1/items', { name: 'Bolt' });
  const { id: customer } = await create(client, '/v1/contacts', { name: 'Shop', contactType: 'customer' });
  const lines = [{ itemId: item, quantity: stock, unitCost: 1 }];
  const { id: receipt } = await create(client, '/v1/stock-documents', { type: 'receipt', lines });
  for (const step of ['submit', 'approve']) {
    const { status, body } = await client.send('POST', `/v1/stock-documents/${receipt}/${step}`, {});
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
  return { item, customer, announced: new Set([item]), completed: new Set(), rejected: new Set() };
}

/**
 * Works with so many clients until they have completed so many more orders, or tried to, and `isOver` returns true. The clients begin with
 * different daemons.
 */
export async function workInShop(
  client: FailoverClient,
  shop: Shop,
  { clients, orders, isOver = () => true }: { clients: number; orders: number; isOver?: () => boolean },
): Promise<void> {
  let begun = 0;
  const work = async (first: number): Promise<void> => {
    while ((begun += 1) <= orders || !isOver()) {
      const { id: item } = await create(client, '/v1/items', { name: 'Nut' }, first);
      shop.announced.add(item);
      const lines = [{ itemId: shop.item, quantity: 1 }];
      const draft = { module: 'sell', contactId: shop.customer, status: 'open', lines };
      const { id: order } = await create(client, '/v1/orders', draft, first);
      shop.announced.add(order);
      const { status, body } = await client.send('PATCH', `/v1/orders/${order}`, { status: 'completed' }, first);
      if (status === 200) shop.completed.add(order);
      else if (body.error?.code === 'INSUFFICIENT_STOCK') shop.rejected.add(order);
      else throw new Error(`${String(status)} ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, at) => work(at)));
}
