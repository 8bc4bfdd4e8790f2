/** Events have what a receiver needs to put them in order: deliveries arrive in any. */
import { request } from 'undici';
import { expect, test } from 'vitest';
import { EVENT_MAX_BYTES } from '../../../src/contract/limits.ts';
import { triggerEvent } from '../../../src/domain/webhooks/trigger-and-backfill.ts';
import { orderWorld } from '../../support/resources/order-world.ts';
import { startSecondServer } from '../../support/service/second-server.ts';
import { type TestService, contextFor, startService } from '../../support/service/service.ts';

interface OrderEvent {
  readonly event: string;
  readonly data: { readonly position: number; readonly updatedAt: string; readonly priority: string };
}

const readEvents = async (s: TestService): Promise<OrderEvent[]> =>
  (await s.events()).map(({ body }) => JSON.parse(body) as OrderEvent).sort((a, b) => a.data.position - b.data.position);

test('position and updatedAt of events grow in the order of the commits, also with writes through two daemons', async () => {
  await using s = await startService();
  const w = await orderWorld(s);
  const second = await startSecondServer(s.service);
  const created = await s.post('/v1/orders', { module: 'sell', contactId: w.customer, lines: [{ itemId: w.bolt, quantity: 1 }] });
  const { id } = created.body.data;
  const replies = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const reply = await request(`${[s.url, second.info.uri][index % 2]!}/v1/orders/${id}`, {
        method: 'PATCH',
        headers: { 'x-api-key': s.key, 'content-type': 'application/json', 'idempotency-key': `patch-${String(index)}` },
        body: JSON.stringify({ notes: `note ${String(index)}` }),
      });
      return (await reply.body.json()) as { data: { updatedAt: string } };
    }),
  );
  const all = await readEvents(s);
  const positions = (await s.changeLog()).map(({ position }) => position);
  expect(positions).toEqual(positions.map((_, index) => index + 1));
  const versions = all.filter(({ event }) => event === 'order.updated').map(({ data }) => data.updatedAt);
  expect(versions).toEqual(versions.toSorted());
  expect(new Set(versions)).toHaveLength(60);
  expect(versions).toEqual(replies.map(({ data }) => data.updatedAt).toSorted());
});

test('the event of a deleted record has a later version than any before', async () => {
  await using s = await startService();
  const paths = { '/v1/items': { name: 'Bolt' }, '/v1/contacts': { name: 'Ana' }, '/v1/stock-documents': undefined };
  for (const [path, body] of Object.entries(paths)) {
    const draft = body ?? { type: 'receipt', lines: [{ itemId: (await s.post('/v1/items', { name: 'Nut' })).body.data.id, quantity: 1 }] };
    const { data } = (await s.post(path, draft)).body;
    expect((await s.delete(`${path}/${data.id as string}`, { idempotencyKey: path })).status).toBe(204);
    const [last] = (await readEvents(s)).slice(-1);
    expect([path, last?.data]).toMatchObject([path, { id: data.id, changes: ['deleted'] }]);
    expect(last?.data).toHaveProperty('deletedAt', last?.data.updatedAt);
    expect(String(last?.data.updatedAt) > data.updatedAt).toBe(true);
  }
});

test('an event beyond the maximum size keeps the fields that identify the record, its state and its version', async () => {
  await using s = await startService();
  await s.service.store.transact(s.tenant.id, async (tx) => {
    const context = contextFor(s);
    for (const event of ['order.updated', 'stock_document.updated', 'contact.updated'] as const)
      await triggerEvent(tx, context, event, { note: 'x'.repeat(EVENT_MAX_BYTES) });
  });
  const [order, document, contact] = (await readEvents(s)).map(({ data }) => data);
  const common = { truncated: true, id: expect.any(String), eventId: expect.any(String), updatedAt: expect.any(String) };
  expect(order).toMatchObject({ ...common, position: 1, module: 'sell', status: 'open' });
  expect(document).toMatchObject({ ...common, position: 2, type: 'receipt', status: 'submitted' });
  expect(contact).toMatchObject({ ...common, position: 3 });
  expect(order).not.toHaveProperty('note');
});
