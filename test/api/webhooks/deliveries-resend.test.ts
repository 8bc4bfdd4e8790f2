/** Resending deliveries: nothing is recorded that would not be sent. */
import { expect, test } from 'vitest';
import type { OwnedDelivery } from '../../../src/contract/admin/webhooks.ts';
import { createDelivery } from '../../../src/domain/events/delivery-state.ts';
import { startAdmin } from '../../support/service/admin.ts';
import { getCode } from '../../support/service/service.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { addWebhook, allIn, getDeliveries, deliveriesWhen } from '../../support/resources/webhooks.ts';

const SINCE = { since: '2000-01-01T00:00:00.000Z' };

test('resend is rejected with PLAN_REQUIRED without the plan', async () => {
  await using a = await startAdmin();
  const { id } = await addWebhook(a.s, 'http://127.0.0.1:9/');
  await a.s.post('/v1/items', { name: 'Bolt' });
  await a.patch(`/admin/tenants/${a.s.tenant.id}`, { plan: 'standard' });
  const before = await getDeliveries(a.s);
  for (const [path, body] of [
    [`/admin/deliveries/${before[0]?.id ?? ''}/resend`, {}],
    ['/admin/deliveries/resend-failed', SINCE],
    [`/admin/webhooks/${id}/backfill`, SINCE],
  ] as const)
    expect([path, getCode(await a.post(path, body))]).toEqual([path, 'PLAN_REQUIRED']);
  expect(await getDeliveries(a.s)).toEqual(before);
});

test('resend to a disabled endpoint is rejected', async () => {
  await using a = await startAdmin();
  await a.s.post('/v1/items', { name: 'Bolt' });
  const { id } = await addWebhook(a.s, 'http://127.0.0.1:9/', { status: 'disabled' });
  expect((await a.post(`/admin/webhooks/${id}/backfill`, SINCE)).body.error).toMatchObject({
    code: 'INVALID_STATE',
    message: 'The endpoint is disabled. Set its status to active first.',
    details: { webhookId: id, status: 'disabled' },
  });
  expect(await getDeliveries(a.s)).toEqual([]);
  // A delivery from before.
  expect((await a.s.patch(`/v1/webhooks/${id}`, { status: 'active' })).status).toBe(200);
  await a.s.post('/v1/items', { name: 'Nut' });
  expect((await a.s.patch(`/v1/webhooks/${id}`, { status: 'disabled' })).status).toBe(200);
  const before = await getDeliveries(a.s);
  expect(getCode(await a.post(`/admin/deliveries/${before[0]?.id ?? ''}/resend`, {}))).toBe('INVALID_STATE');
  expect(await getDeliveries(a.s)).toEqual(before);
});

test('a delivery whose event was purged from the change log cannot be resent', async () => {
  await using a = await startAdmin();
  await addWebhook(a.s, 'http://127.0.0.1:9/');
  await a.s.post('/v1/items', { name: 'Bolt' });
  const before = await getDeliveries(a.s);
  const [{ id, eventId } = { id: '', eventId: '' }] = before;
  await a.s.service.store.transact(a.s.tenant.id, (tx) => tx.events.remove(eventId));
  expect((await a.post(`/admin/deliveries/${id}/resend`, {})).body.error).toMatchObject({
    code: 'INVALID_STATE',
    message: 'The event of this delivery was purged from the change log, so the delivery cannot be resent.',
  });
  expect(await getDeliveries(a.s)).toEqual(before);
});

test('bulk resend sends each failed delivery once, beyond one page and despite new failures', async () => {
  await using a = await startAdmin();
  await using receiver = await startReceiver(500);
  await a.s.post('/v1/items', { name: 'Bolt' });
  const [event] = await a.s.events();
  const { id } = await addWebhook(a.s, receiver.url);
  const { id: silenced } = await addWebhook(a.s, receiver.url);
  const count = 1_001;
  await a.s.service.store.transact(a.s.tenant.id, async (tx) => {
    // The last one is of an endpoint to which nothing is sent.
    for (let made = 0; made <= count; made += 1) {
      const at = new Date(a.s.clock.now().getTime() + made).toISOString();
      const row = createDelivery(
        a.s.service.newId(),
        made === count ? silenced : id,
        { id: event?.id ?? '', name: 'inventory.item.created' },
        at,
      );
      await tx.deliveries.put({ ...row, status: 'failed', attempts: 1, queue: null, dueAt: at });
    }
  });
  expect((await a.s.patch(`/v1/webhooks/${silenced}`, { status: 'disabled' })).status).toBe(200);
  await a.s.service.startDeliveries();
  const resend = async (body: object) => {
    const { data, next } = (await a.post('/admin/deliveries/resend-failed', { ...SINCE, ...body })).body as {
      data: OwnedDelivery[];
      next: object | null;
    };
    await deliveriesWhen(a.s, allIn('failed'));
    return { ids: data.map((row) => row.id), next };
  };
  const first = await resend({});
  const second = await resend({ after: first.next });
  expect([first.ids.length, second.ids.length, second.next]).toEqual([1_000, 1, null]);
  expect(new Set([...first.ids, ...second.ids]).size).toBe(count);
  expect(receiver.received.length).toBe(count);
});

test('bulk resend takes the deliveries with the given statuses, by default those that failed', async () => {
  await using a = await startAdmin();
  await a.s.post('/v1/items', { name: 'Bolt' });
  const [event] = await a.s.events();
  const { id } = await addWebhook(a.s, 'http://127.0.0.1:9/');
  const later = new Date(a.s.clock.now().getTime() + 3_600_000).toISOString();
  const rows = (['failed', 'retrying', 'delivered', 'discarded'] as const).map((status) => {
    const row = createDelivery(
      a.s.service.newId(),
      id,
      { id: event?.id ?? '', name: 'inventory.item.created' },
      a.s.clock.now().toISOString(),
    );
    return { ...row, status, attempts: 1, lastError: 'http_500', queue: status === 'retrying' ? id : null, dueAt: later } as const;
  });
  const put = () => a.s.service.store.transact(a.s.tenant.id, (tx) => tx.deliveries.putMany(rows));
  for (const [statuses, expected] of [
    [undefined, ['failed']],
    [['retrying'], ['retrying']],
    [['discarded'], ['discarded']],
    [
      ['failed', 'retrying'],
      ['failed', 'retrying'],
    ],
  ] as const) {
    await put();
    const { data } = (await a.post('/admin/deliveries/resend-failed', { ...SINCE, ...(statuses && { statuses }) })).body as {
      data: OwnedDelivery[];
    };
    const wanted = rows.filter(({ status }) => (expected as readonly string[]).includes(status));
    expect(data.map((row) => row.id)).toEqual(wanted.map((row) => row.id));
    for (const row of data) expect(Date.parse(row.nextAttemptAt ?? '')).toBeLessThan(Date.parse(later));
  }
});

test('a resend that fails leaves the delivery delivered, and out of the reach of a bulk resend', async () => {
  await using a = await startAdmin({ service: { deliver: true } });
  await using receiver = await startReceiver();
  const { id: endpoint } = await addWebhook(a.s, receiver.url);
  await a.s.post('/v1/items', { name: 'Bolt' });
  const [{ id } = { id: '' }] = await deliveriesWhen(a.s, allIn('delivered'));
  receiver.answer = 500;
  expect((await a.post(`/admin/deliveries/${id}/resend`, {})).status).toBe(200);
  const rows = await deliveriesWhen(a.s, ([row]) => row?.attempts === 2);
  expect(rows).toMatchObject([{ id, status: 'delivered', lastError: 'http_500', lastHttpStatus: 500 }]);
  expect((await a.s.get(`/v1/webhooks/${endpoint}/deliveries?status=delivered`)).body.pagination.total).toBe(1);
  for (const statuses of [['failed'], ['failed', 'retrying', 'discarded']])
    expect((await a.post('/admin/deliveries/resend-failed', { ...SINCE, statuses })).body).toMatchObject({ data: [] });
  expect(receiver.received).toHaveLength(2);
});

test('disabling an endpoint says how many deliveries it discards, and they can be resent once it is enabled', async () => {
  await using a = await startAdmin({ service: { deliver: true } });
  await using receiver = await startReceiver();
  const { id } = await addWebhook(a.s, receiver.url, { status: 'paused' });
  for (let count = 0; count < 5; count += 1) await a.s.post('/v1/items', { name: `Bolt ${String(count)}` });
  const setStatus = async (status: string) => (await a.s.patch(`/v1/webhooks/${id}`, { status })).body;
  expect(await setStatus('disabled')).toMatchObject({ data: { status: 'disabled' }, discardedDeliveries: 5 });
  expect((await a.audit()).at(-1)).toMatchObject({ action: 'webhook.disabled' });
  expect((await a.audit()).at(-1)?.metadata).toMatchObject({ discardedDeliveries: 5 });
  const resend = { ...SINCE, statuses: ['discarded'], webhookId: id };
  expect(getCode(await a.post('/admin/deliveries/resend-failed', resend))).toBe('INVALID_STATE');
  expect(await setStatus('active')).not.toHaveProperty('discardedDeliveries');
  expect(receiver.received).toHaveLength(0);
  expect((await a.post('/admin/deliveries/resend-failed', resend)).body).toMatchObject({ data: { length: 5 } });
  await deliveriesWhen(a.s, allIn('delivered'));
  expect(receiver.received).toHaveLength(5);
  expect(await setStatus('disabled')).toMatchObject({ discardedDeliveries: 0 });
});
