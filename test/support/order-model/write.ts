/** Writes whose outcome the model predicted, and the events and audit rows they left. */
import { expect } from 'vitest';
import { auditRows } from '../service/call-trace.ts';
import { type Reply, getCode } from '../service/service.ts';
import type { History } from './model.ts';

/** Everything that a refused request must leave as it was. */
export const dump = ({ s }: History): Promise<string> =>
  s.service.store.read(s.tenant.id, async (tx) => {
    const stock = [tx.stockDocuments, tx.stockDocumentLines, tx.ledger, tx.stockLevels];
    const tables = [tx.orders, tx.orderLines, tx.counters, tx.events, tx.auditEvents, tx.contacts, tx.items, ...stock];
    return JSON.stringify(await Promise.all(tables.map(async (table) => (await table.listAfter({ limit: 100_000 })).rows)));
  });

/** Events of stock documents are checked by their own model, in stock.property.test.ts. */
const ofOrders = (events: readonly string[]): string[] => events.filter((each) => each.startsWith('order.'));

/** The events and audit actions of orders so far. */
export async function readTrace({ s }: History): Promise<{ events: string[]; actions: string[] }> {
  const events = await s.changeLog();
  expect(events.map(({ position }) => position)).toEqual(events.map((_, at) => at + 1));
  const audit = await auditRows(s);
  return {
    events: ofOrders(events.map(({ event, resourceId }) => `${event} ${resourceId}`)),
    actions: ofOrders(audit.map(({ action, resourceId }) => `${action} ${resourceId}`)),
  };
}

/** Sends a write that must be refused with one of the codes, or, when there are none, must succeed. */
export async function write(
  h: History,
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
  refusals: ReadonlySet<string>,
): Promise<Reply | undefined> {
  const key = `history-${String((h.count += 1))}`;
  const before = await dump(h);
  const reply = await h.s.call(method, path, { body, idempotencyKey: key });
  if (refusals.size > 0) {
    expect([...refusals], reply.text).toContain(reply.status < 400 ? `status ${String(reply.status)}` : getCode(reply));
    expect(await dump(h)).toBe(before);
    return undefined;
  }
  expect(reply.status, reply.text).toBe(method === 'POST' ? 201 : 200);
  expect(JSON.parse(JSON.stringify(reply.body))).toEqual(reply.body);
  h.last = { path, method, body, key, reply };
  return reply;
}

/** The last write again, under the same key: the same answer, or a conflict when the body is another; nothing new either way. */
export async function replay(h: History, other: boolean): Promise<void> {
  if (!h.last) return;
  const { path, method, body, key, reply } = h.last;
  const before = await dump(h);
  const again = await h.s.call(method, path, { idempotencyKey: key, body: other ? { ...body, notes: 'something else' } : body });
  if (other) expect(getCode(again)).toBe('CONFLICT');
  else expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([reply.status, reply.text, 'true']);
  expect(await dump(h)).toBe(before);
}
