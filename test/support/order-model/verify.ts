/** What the service stores and lists, held against the model. */
import { expect } from 'vitest';
import { ORDER_MODULES } from '../../../src/contract/resources/orders.ts';
import { type History, getFulfilment } from './model.ts';

/** Asks for what changed since the last time, as a client that keeps a copy does. */
export async function sync(h: History): Promise<void> {
  const since = h.seen;
  for (const module of ORDER_MODULES) {
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { body } = await h.s.get(`/v1/orders?module=${module}&updated_since=${since}&sort=updated_at&page=${String(page)}&page_size=3`);
      pages = body.pagination.totalPages as number;
      for (const row of body.data) {
        h.mirror.set(row.id, `${row.status as string} ${row.updatedAt as string}`);
        if (row.updatedAt > h.seen) h.seen = row.updatedAt;
      }
    }
  }
  expect(Object.fromEntries(h.mirror)).toEqual(
    Object.fromEntries(h.orders.map((order) => [order.id, `${order.status} ${order.updatedAt}`])),
  );
}

/** Everything that must be true of what is stored, whatever happened. */
export async function examine(h: History): Promise<void> {
  const { orders, lines } = await h.s.service.store.read(h.s.tenant.id, async (tx) => ({
    orders: (await tx.orders.listAfter({ limit: 10_000 })).rows,
    lines: (await tx.orderLines.listAfter({ limit: 100_000 })).rows,
  }));
  expect(new Set(orders.map((order) => order.orderNumber.toLowerCase())).size).toBe(h.orders.length);
  expect(lines.filter((line) => !orders.some((order) => order.id === line.orderId))).toEqual([]);
  for (const order of orders) {
    const own = lines.filter((line) => line.orderId === order.id).sort((a, b) => a.lineNumber - b.lineNumber);
    const model = h.orders.find((each) => each.id === order.id);
    expect([order.status, order.updatedAt, order.dueDate, order.priority, order.notes]).toEqual([
      model?.status,
      model?.updatedAt,
      model?.dueDate,
      model?.priority,
      model?.notes,
    ]);
    expect(own.map((line) => [line.id, line.quantity / 1_000_000, line.fulfilledQuantity / 1_000_000])).toEqual(
      model?.lines.map((line) => [line.id, line.quantity, line.fulfilled]),
    );
    expect(own.map((line) => line.lineNumber)).toEqual(own.map((_, at) => at + 1));
    expect(order.total).toBe(own.reduce((sum, line) => sum + line.lineTotal, 0));
    expect(order.lineCount).toBe(own.length);
    expect(order.fulfilment).toBe(
      getFulfilment(own.map(({ quantity: all, fulfilledQuantity: fulfilled }) => ({ quantity: all, fulfilled }))),
    );
    if (order.status === 'completed') expect(order.closedShort || own.every((line) => line.fulfilledQuantity === line.quantity)).toBe(true);
    for (const record of [order, ...own]) {
      for (const value of Object.values(record)) if (typeof value === 'number') expect(Number.isSafeInteger(value)).toBe(true);
    }
    for (const line of own) expect(line.fulfilledQuantity >= 0 && line.fulfilledQuantity <= line.quantity).toBe(true);
  }
}

/** Reading all pages of an unchanged list returns each order once. */
export async function walk(h: History, key: string): Promise<void> {
  for (const module of ORDER_MODULES) {
    const ids: string[] = [];
    let total = 0;
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { body } = await h.s.get(`/v1/orders?module=${module}&page=${String(page)}&page_size=2&sort=priority`);
      pages = body.pagination.totalPages as number;
      total = body.pagination.total as number;
      ids.push(...body.data.map((row: { id: string }) => row.id));
    }
    const mine = h.orders.filter((order) => order.module === module).map((order) => order.id);
    expect([ids.toSorted(), total]).toEqual([mine.toSorted(), mine.length]);
  }
  for (const { id } of h.orders.slice(0, 2)) expect((await h.s.get(`/v1/orders/${id}`, { key })).status).toBe(404);
}
