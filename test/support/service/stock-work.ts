/** Clients that create and change items, receive stock and complete orders through any daemon, and what the service has acknowledged. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { FailoverClient, FailoverReply } from './failover-client.ts';

export interface StockWork {
  /** The item of all receipts and orders. */
  readonly item: string;
  readonly customer: string;
  /** Notes of each item that was created, as acknowledged last. */
  readonly items: Map<string, string | null>;
  /** Quantity of each receipt whose approval was acknowledged. */
  readonly received: Map<string, number>;
  /** Orders of one piece whose completion was acknowledged. */
  readonly completed: Set<string>;
}

/** A record that a request names is gone, or in another state: only after a failover that has lost changes. */
class LostRecord extends Error {}

async function expectReply(reply: Promise<FailoverReply>, status: number): Promise<{ id: string }> {
  const { status: actual, body } = await reply;
  if (actual === status) return (body as { data: { id: string } }).data;
  throw new LostRecord(`${String(actual)} ${JSON.stringify(body)}`);
}

export async function openStockWork(client: FailoverClient): Promise<StockWork> {
  const { id: item } = await expectReply(client.send('POST', '/v1/items', { name: 'Bolt' }), 201);
  const { id: customer } = await expectReply(client.send('POST', '/v1/contacts', { name: 'Shop', contactType: 'customer' }), 201);
  return { item, customer, items: new Map([[item, null]]), received: new Map(), completed: new Set() };
}

export interface WorkOptions {
  readonly clients: number;
  readonly isOver: () => boolean;
  /** Whether acknowledged changes may be lost: clients then begin again with new records. */
  readonly mayLose?: boolean;
}

/** Works with so many clients until `isOver`. The clients begin with different daemons, and finish what they have begun. */
export async function doStockWork(
  client: FailoverClient,
  work: StockWork,
  { clients, isOver, mayLose = false }: WorkOptions,
): Promise<void> {
  const repeat = async (first: number): Promise<void> => {
    while (!isOver()) {
      try {
        await doOneRound(client, work, first);
      } catch (error) {
        if (!(error instanceof LostRecord && mayLose)) throw error;
        await delay(1);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, first) => repeat(first)));
}

async function doOneRound(client: FailoverClient, { item, customer, items, received, completed }: StockWork, first: number): Promise<void> {
  const { id } = await expectReply(client.send('POST', '/v1/items', { name: 'Nut' }, first), 201);
  items.set(id, null);
  for (const notes of ['1', '2']) {
    await expectReply(client.send('PATCH', `/v1/items/${id}`, { notes }, first), 200);
    items.set(id, notes);
  }
  const quantity = 2;
  const draft = { type: 'receipt', lines: [{ itemId: item, quantity, unitCost: 1 }] };
  const { id: receipt } = await expectReply(client.send('POST', '/v1/stock-documents', draft, first), 201);
  await expectReply(client.send('POST', `/v1/stock-documents/${receipt}/submit`, {}, first), 200);
  await expectReply(client.send('POST', `/v1/stock-documents/${receipt}/approve`, {}, first), 200);
  received.set(receipt, quantity);
  const order = { module: 'sell', contactId: customer, status: 'open', lines: [{ itemId: item, quantity: 1 }] };
  const { id: orderId } = await expectReply(client.send('POST', '/v1/orders', order, first), 201);
  await expectReply(client.send('PATCH', `/v1/orders/${orderId}`, { status: 'completed' }, first), 200);
  completed.add(orderId);
}

interface Row {
  readonly id: string;
  readonly status?: string;
  readonly type?: string;
  readonly notes?: string | null;
}

async function listAll(client: FailoverClient, path: string, daemon: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await client.send('GET', `${path}page_size=200&page=${String(page)}`, undefined, daemon);
    rows.push(...(body.data as Row[]));
    if (rows.length >= (body.pagination.total as number)) return rows;
  }
}

/** What a daemon shows, in a form that can be compared with the work. */
async function readShop(client: FailoverClient, { item }: StockWork, daemon: number) {
  const items = new Map((await listAll(client, '/v1/items?', daemon)).map(({ id, notes = null }) => [id, notes]));
  const documents = await listAll(client, '/v1/stock-documents?type=receipt&', daemon);
  const orders = await listAll(client, '/v1/orders?module=sell&', daemon);
  const { body } = await client.send('GET', `/v1/stock-levels?item_id=${item}`, undefined, daemon);
  const onHand = (body.data as { onHand: number }[]).reduce((sum, level) => sum + level.onHand, 0);
  const approved = new Set(documents.filter(({ status }) => status === 'approved').map(({ id }) => id));
  const completed = new Set(orders.filter(({ status }) => status === 'completed').map(({ id }) => id));
  return { items, approved, completed, onHand };
}

/**
 * Every daemon shows the same: all that was acknowledged and nothing else, and a stock that follows from it. With `mayLose` something may be
 * missing, of which the number is returned; it is removed from the work.
 */
export async function verifyStockWork(client: FailoverClient, work: StockWork, daemons: number, mayLose = false): Promise<number> {
  const [shop, ...others] = await Promise.all(Array.from({ length: daemons }, (_, daemon) => readShop(client, work, daemon)));
  const { items, approved, completed, onHand } = shop!;
  for (const other of others) expect(other).toEqual(shop);
  const received = [...approved].reduce((sum, id) => sum + (work.received.get(id) ?? 0), 0);
  expect(onHand).toBe(received - completed.size);
  const before = countChanges(work);
  if (mayLose) {
    for (const [id, notes] of work.items) {
      const found = items.get(id);
      if (found === undefined) work.items.delete(id);
      else if (Number(found) < Number(notes)) work.items.set(id, found);
    }
    for (const id of work.received.keys()) if (!approved.has(id)) work.received.delete(id);
    for (const id of work.completed) if (!completed.has(id)) work.completed.delete(id);
  }
  expect(items).toEqual(work.items);
  expect(approved).toEqual(new Set(work.received.keys()));
  expect(completed).toEqual(work.completed);
  return before - countChanges(work);
}

function countChanges({ items, received, completed }: StockWork): number {
  const patches = [...items.values()].reduce((sum, notes) => sum + Number(notes), 0);
  return items.size + patches + received.size + completed.size;
}
