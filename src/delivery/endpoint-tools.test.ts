import { expect, test } from 'vitest';
import { createWebhookRecord } from '../../test/support/resources/webhook-records.ts';
import { createDelivery } from '../domain/events/delivery-state.ts';
import { createEndpointTools } from './endpoint-tools.ts';
import type { DeliveryRequest } from './attempt.ts';
import { createDeliveryHeaders, createSigningKey } from './signing.ts';

const AT = '2026-01-01T00:00:00.000Z';
const now = new Date(AT);
const webhook = createWebhookRecord({
  id: 'w',
  targetUrl: 'http://127.0.0.1:9/hook',
  previous: { secret: 'cd'.repeat(32), until: '2026-01-01T12:00:00.000Z' },
});
const sent: DeliveryRequest[] = [];
const outcome = { startedAt: now, milliseconds: 1, httpStatus: 200, error: null, retryAfterSeconds: null };
const tools = createEndpointTools({
  sender: {
    send(request) {
      sent.push(request);
      return Promise.resolve(outcome);
    },
    close: () => Promise.resolve(),
  },
  clock: { now: () => now },
  userAgent: 'Test/1',
  timeoutMs: 5_000,
});

test('a connectivity check is one unsigned request with its own body and timeout', async () => {
  expect(await tools.sendCheck(webhook, 'tenant')).toBe(outcome);
  const [{ body, ...request } = { body: undefined }] = sent;
  expect(request).toEqual({
    url: webhook.targetUrl,
    timeoutMs: 5_000,
    startedAt: now,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Test/1',
      accept: '*/*',
      'X-Service-Event': 'webhook.test',
    },
  });
  expect(JSON.parse(String(body))).toEqual({ event: 'webhook.test', data: { webhookId: 'w', sentAt: AT } });
  expect(sent).toHaveLength(1);
});

test('the shown headers are those of the last attempt, or of the first before it was made', () => {
  const delivery = createDelivery('d', 'w', { id: 'e', name: 'order.created' }, AT);
  const keys = [webhook.secret, 'cd'.repeat(32)].map(createSigningKey);
  for (const [attempts, shown] of [
    [0, 1],
    [1, 1],
    [3, 3],
  ] as const) {
    const headers = tools.buildHeaders({ ...delivery, attempts }, webhook, '{"a":1}', now);
    expect(headers).toEqual(createDeliveryHeaders(delivery, shown, Buffer.from('{"a":1}'), keys, now, 'Test/1'));
  }
  // The overlap has ended.
  const later = new Date('2026-01-01T12:00:00.000Z');
  expect(tools.buildHeaders(delivery, webhook, '{}', later)).toEqual(
    createDeliveryHeaders(delivery, 1, Buffer.from('{}'), keys.slice(0, 1), later, 'Test/1'),
  );
});
