/** Deliveries with payload and attempts, their resend, and replays over /v1. W-8. */
import { expect, onTestFinished, test } from 'vitest';
import { isOpen } from '../../../src/domain/events/delivery-state.ts';
import { deliveriesWhen, allIn, addWebhook, getDeliveries } from '../../support/resources/webhooks.ts';
import { startAdmin } from '../../support/service/admin.ts';
import { auditRows } from '../../support/service/call-trace.ts';
import { type TestService, getCode, startService } from '../../support/service/service.ts';
import { type Receiver, startReceiver } from '../../support/servers/webhook-receiver.ts';

const SINCE = '2000-01-01T00:00:00.000Z';

async function start(answer: Receiver['answer'] = 200): Promise<{ s: TestService; receiver: Receiver }> {
  const receiver = await startReceiver(answer);
  const s = await startService({ deliver: true });
  onTestFinished(async () => {
    await s[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });
  return { s, receiver };
}

/** Items that are each created and changed so often, with deliveries that have all ended. */
async function deliver(s: TestService, items: number, changes: number): Promise<void> {
  for (let item = 0; item < items; item += 1) {
    const { id } = (await s.post('/v1/items', { name: `Item ${String(item)}` })).body.data as { id: string };
    for (let change = 0; change < changes; change += 1) await s.patch(`/v1/items/${id}`, { notes: String(change) });
  }
  await deliveriesWhen(s, (rows) => rows.length === items * (changes + 1) && allIn('delivered', 'failed')(rows));
}

interface Replay {
  readonly id: string;
  readonly state: string;
  readonly selected: number;
  readonly sent: number;
  readonly failed: number;
}

const readReplay = async (s: TestService, webhookId: string, id: string): Promise<Replay> =>
  (await s.get(`/v1/webhooks/${webhookId}/replays/${id}`)).body.data as Replay;

/** Resolves with the replay when it has ended. */
async function endOf(s: TestService, webhookId: string, id: string): Promise<Replay> {
  await expect.poll(async () => (await readReplay(s, webhookId, id)).state, { timeout: 60_000 }).not.toBe('running');
  return readReplay(s, webhookId, id);
}

test('GET of a delivery shows event, record, payload and attempts, without what the receiver answered', async () => {
  const { s, receiver } = await start((response) => response.writeHead(410).end('secret answer'));
  const { id } = await addWebhook(s, receiver.url);
  const item = (await s.post('/v1/items', { name: 'Bolt' })).body.data;
  const [delivery] = await deliveriesWhen(s, allIn('failed'));
  const { text, body } = await s.get(`/v1/webhooks/${id}/deliveries/${delivery?.id ?? ''}`);
  expect(body.data).toMatchObject({
    id: delivery?.id,
    status: 'failed',
    eventId: delivery?.eventId,
    resourceId: item.id,
    payload: { event: 'inventory.item.created', data: { name: 'Bolt' } },
    nextAttemptAt: null,
    history: [{ httpStatus: 410, error: 'endpoint_gone' }],
  });
  expect(text).not.toContain('secret answer');
  const other = await addWebhook(s, 'http://127.0.0.1:9/');
  expect((await s.get(`/v1/webhooks/${other.id}/deliveries/${delivery?.id ?? ''}`)).status).toBe(404);
});

test('resending a delivery sends it once more, and is in the audit trail', async () => {
  const { s, receiver } = await start();
  const { id } = await addWebhook(s, receiver.url);
  await deliver(s, 1, 0);
  const [delivery] = await getDeliveries(s);
  const reply = await s.post(`/v1/webhooks/${id}/deliveries/${delivery?.id ?? ''}/resend`, {});
  expect([reply.status, reply.body.data.status], reply.text).toEqual([200, 'pending']);
  await receiver.count(2);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  expect((await auditRows(s)).at(-1)).toMatchObject({ action: 'webhook.delivery_resent', metadata: { deliveryId: delivery?.id } });
});

test('a replay sends what matches once, in the order of the events of each record', async () => {
  const { s, receiver } = await start();
  const { id } = await addWebhook(s, receiver.url);
  await deliver(s, 5, 3);
  // The first request of each turn is answered last.
  let answered = 0;
  receiver.answer = (response) => {
    answered += 1;
    setTimeout(() => response.writeHead(200).end(), answered % 4 === 1 ? 30 : 0);
  };
  const before = receiver.received.length;
  const body = { since: SINCE, statuses: ['delivered'], rate: 100 };
  const preview = await s.post(`/v1/webhooks/${id}/replay?dry_run=true`, body);
  expect(preview.body.data).toMatchObject({ state: 'running', selected: 20, sent: 0 });
  expect((await s.get(`/v1/webhooks/${id}/replays/${String(preview.body.data.id)}`)).status).toBe(404);
  const created = await s.post(`/v1/webhooks/${id}/replay`, body);
  expect(created.status, created.text).toBe(201);
  expect(created.headers['location']).toBe(`/v1/webhooks/${id}/replays/${String(created.body.data.id)}`);
  expect((await s.post(`/v1/webhooks/${id}/replay`, body)).body.error).toMatchObject({
    code: 'INVALID_STATE',
    message: 'Another replay of this endpoint is running. Wait for its end, or cancel it.',
    details: { replayId: created.body.data.id },
  });
  expect(await endOf(s, id, created.body.data.id)).toMatchObject({ state: 'completed', selected: 20, sent: 20, failed: 0 });
  const sent = receiver.received.slice(before).map((each) => (JSON.parse(each.body) as { data: { id: string; sequence: number } }).data);
  expect(sent).toHaveLength(20);
  for (const own of Map.groupBy(sent, (data) => data.id).values())
    expect(own.map(({ sequence }) => sequence)).toEqual(own.map(({ sequence }) => sequence).toSorted((a, b) => a - b));
});

test('a replay selects by time, type and status, and counts what fails', async () => {
  const { s, receiver } = await start();
  const { id } = await addWebhook(s, receiver.url);
  await deliver(s, 2, 1);
  s.clock.advance(60);
  const later = s.clock.now().toISOString();
  receiver.answer = 500;
  const replay = async (body: object) => {
    const { body: created } = await s.post(`/v1/webhooks/${id}/replay`, { statuses: ['delivered'], rate: 100, ...body });
    return endOf(s, id, created.data.id);
  };
  const empty = await s.post(`/v1/webhooks/${id}/replay`, { since: later, statuses: ['delivered'], rate: 100 });
  expect(empty.body.data).toMatchObject({ state: 'completed', selected: 0, oldestAt: null, newestAt: null });
  const all = await getDeliveries(s);
  expect(await replay({ since: SINCE, statuses: ['delivered', 'failed'], until: later })).toMatchObject({
    selected: 4,
    oldestAt: all[0]?.createdAt,
    newestAt: all[3]?.createdAt,
  });
  expect(await replay({ since: SINCE, until: SINCE })).toMatchObject({ selected: 0 });
  expect(await replay({ since: SINCE, statuses: ['failed', 'discarded'] })).toMatchObject({ selected: 0 });
  expect(await replay({ since: SINCE, types: ['inventory.item.created'] })).toMatchObject({ selected: 2, sent: 0, failed: 2 });
});

test('a replay keeps to its rate, continues after a restart, and ends when it is cancelled', async () => {
  const { s, receiver } = await start();
  const { id } = await addWebhook(s, receiver.url);
  await deliver(s, 4, 0);
  const { id: replayId } = (await s.post(`/v1/webhooks/${id}/replay`, { since: SINCE, statuses: ['delivered'], rate: 1 })).body
    .data as Replay;
  await receiver.count(5);
  expect((await readReplay(s, id, replayId)).state).toBe('running');
  await s.restart();
  await receiver.count(6);
  expect(receiver.received).toHaveLength(6);
  expect((await s.delete(`/v1/webhooks/${id}/replays/${replayId}`)).status).toBe(204);
  expect((await s.get(`/v1/webhooks/${id}/replays/${replayId}`)).body.error.message).toBe(`There is no replay ${replayId}.`);
  const next = await s.post(`/v1/webhooks/${id}/replay`, { since: SINCE, statuses: ['delivered'], rate: 1 });
  expect(next.status, next.text).toBe(201);
  s.clock.advance(60);
  await receiver.count(8);
  const actions = (await auditRows(s)).map(({ action }) => action);
  expect(actions.filter((action) => action.startsWith('webhook.replay'))).toEqual([
    'webhook.replay_started',
    'webhook.replay_cancelled',
    'webhook.replay_started',
  ]);
});

test('deleting an endpoint removes only its replays', async () => {
  const { s, receiver } = await start();
  const [gone, kept] = [await addWebhook(s, receiver.url), await addWebhook(s, receiver.url)];
  const body = { since: SINCE, statuses: ['delivered'], rate: 1 };
  const [ofGone, ofKept] = await Promise.all(
    [gone, kept].map(async ({ id }) => (await s.post(`/v1/webhooks/${id}/replay`, body)).body.data as Replay),
  );
  expect((await s.delete(`/v1/webhooks/${gone.id}`)).status).toBe(204);
  const listIds = async () =>
    (await s.service.store.read(s.tenant.id, (tx) => tx.webhookReplays.listAfter({ limit: 10 }))).rows.map(({ id }) => id);
  expect(ofGone?.id).toBeDefined();
  expect(await listIds()).toEqual([ofKept?.id]);
});

test('a replay of a disabled endpoint stops, and none can start', async () => {
  const { s, receiver } = await start();
  const { id } = await addWebhook(s, receiver.url);
  await deliver(s, 3, 0);
  const body = { since: SINCE, statuses: ['delivered'], rate: 1 };
  const { id: replayId } = (await s.post(`/v1/webhooks/${id}/replay`, body)).body.data as Replay;
  await receiver.count(4);
  await s.patch(`/v1/webhooks/${id}`, { status: 'disabled' });
  s.clock.advance(60);
  expect(await endOf(s, id, replayId)).toMatchObject({ state: 'stopped' });
  expect(getCode(await s.post(`/v1/webhooks/${id}/replay`, body))).toBe('INVALID_STATE');
});

test('a replay stops when the plan loses webhooks, and leaves no delivery open', async () => {
  await using receiver = await startReceiver(200);
  await using a = await startAdmin({ service: { deliver: true } });
  const { s } = a;
  const { id } = await addWebhook(s, receiver.url);
  await deliver(s, 3, 0);
  const body = { since: SINCE, statuses: ['delivered', 'discarded'], rate: 1 };
  const { id: replayId } = (await s.post(`/v1/webhooks/${id}/replay`, body)).body.data as Replay;
  await receiver.count(4);
  const setPlan = (plan: string) => a.patch('/admin/tenants/first', { plan });
  expect((await setPlan('free')).status).toBe(200);
  s.clock.advance(60);
  const readState = () => s.service.store.read(s.tenant.id, async (tx) => (await tx.webhookReplays.get(replayId))?.state);
  await expect.poll(readState, { timeout: 60_000 }).toBe('stopped');
  expect((await getDeliveries(s)).filter(isOpen)).toEqual([]);
  expect((await setPlan('enterprise')).status).toBe(200);
  expect(await readReplay(s, id, replayId)).toMatchObject({ state: 'stopped' });
});
