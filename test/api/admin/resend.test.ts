/** Sending again, and sending what was before: nothing is recorded that would not be sent. */
import { expect, test } from 'vitest';
import { startAdmin } from '../../support/admin.ts';
import { codeOf } from '../../support/service.ts';
import { addWebhook, deliveriesOf } from '../../support/webhooks.ts';

const SINCE = { since: '2000-01-01T00:00:00.000Z' };

test('a tenant without webhooks on its plan can have none sent', async () => {
  await using a = await startAdmin();
  const { id } = await addWebhook(a.s, 'http://127.0.0.1:9/');
  await a.s.post('/v1/items', { name: 'Bolt' });
  await a.patch(`/admin/tenants/${a.s.tenant.id}`, { plan: 'standard' });
  const before = await deliveriesOf(a.s);
  for (const [path, body] of [
    [`/admin/deliveries/${before[0]?.id ?? ''}/resend`, {}],
    ['/admin/deliveries/resend-failed', SINCE],
    [`/admin/webhooks/${id}/backfill`, SINCE],
  ] as const)
    expect([path, codeOf(await a.post(path, body))]).toEqual([path, 'PLAN_REQUIRED']);
  expect(await deliveriesOf(a.s)).toEqual(before);
});

test('a disabled endpoint gets nothing of the past', async () => {
  await using a = await startAdmin();
  await a.s.post('/v1/items', { name: 'Bolt' });
  const { id } = await addWebhook(a.s, 'http://127.0.0.1:9/', { status: 'disabled' });
  expect(codeOf(await a.post(`/admin/webhooks/${id}/backfill`, SINCE))).toBe('INVALID_STATE');
  expect(await deliveriesOf(a.s)).toEqual([]);
});
