/** Writes whose outcome the model predicted: a rejected one leaves nothing behind. */
import { expect } from 'vitest';
import { type Reply, getCode } from '../service/service.ts';
import { type History, MICRO, getPlace } from './model.ts';

/** Everything that a refused request must leave as it was. */
export async function dump({ s }: History): Promise<string> {
  return s.service.store.read(s.tenant.id, async (tx) => {
    const all = [
      tx.orders,
      tx.orderLines,
      tx.stockDocuments,
      tx.stockDocumentLines,
      tx.ledger,
      tx.stockLevels,
      tx.counters,
      tx.events,
      tx.auditEvents,
    ];
    return JSON.stringify(await Promise.all(all.map(async (table) => (await table.listAfter({ limit: 100_000 })).rows)));
  });
}

/** The position of the last event. */
const getLastPosition = ({ s }: History): Promise<number> =>
  s.service.store.read(
    s.tenant.id,
    async (tx) => (await tx.events.listAfter({ orderBy: 'position', descending: true, limit: 1 })).rows[0]?.position ?? 0,
  );

type Events = (reply: Reply) => readonly string[];

/** Sends a write that must be rejected with one of the codes or, when there are none, must succeed and record exactly these events. */
export async function write(
  h: History,
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
  wrong: readonly string[],
  events: Events,
): Promise<Reply | undefined> {
  const key = `history-${String((h.count += 1))}`;
  const before = wrong.length > 0 ? await dump(h) : undefined;
  const position = await getLastPosition(h);
  const reply = await h.s.call(method, path, { body, idempotencyKey: key });
  h.outcomes[wrong.length > 0 ? 'rejected' : 'accepted'] += 1;
  if (wrong.length > 0) {
    expect(wrong, reply.text).toContain(reply.status < 400 ? `status ${String(reply.status)}` : getCode(reply));
    expect(await dump(h)).toBe(before);
    if (getCode(reply) === 'INSUFFICIENT_STOCK') h.shortages = reply.body.error.details.shortages;
    return undefined;
  }
  expect(reply.status, reply.text).toBeLessThan(300);
  const fresh = (await h.s.events(position)).map(({ event, resourceId }) => `${event} ${resourceId}`);
  expect(fresh.toSorted()).toEqual([...events(reply)].toSorted());
  h.last = { method, path, body, key, reply };
  return reply;
}

/** A refusal for want of stock names every shortage, and nothing else. */
export function checkShortages(h: History, missing: ReadonlyMap<string, number>): void {
  if (h.shortages === undefined) return;
  const shortages = h.shortages.map(({ itemId, siteId, missing: short }) => [getPlace(itemId, siteId), Math.round(short * MICRO)] as const);
  expect(new Map(shortages)).toEqual(missing);
  h.shortages = undefined;
}

/** The last write again, under the same key: the same answer, or a conflict when the body is another; nothing new either way. */
export async function replay(h: History, other: boolean): Promise<void> {
  if (!h.last) return;
  const { path, method, body, key, reply } = h.last;
  const before = await dump(h);
  const again = await h.s.call(method, path, { idempotencyKey: key, body: other ? { ...body, notes: 'something else' } : body });
  if (other) expect(['CONFLICT', 'VALIDATION_FAILED']).toContain(getCode(again));
  else expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([reply.status, reply.text, 'true']);
  expect(await dump(h)).toBe(before);
}
