import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCheckHeaders, createDeliveryHeaders, createSigningKey } from './signing.ts';

const SECRETS = ['01'.repeat(32), '02'.repeat(32)];
const BODY = Buffer.from('{"event":"order.created","data":{"name":"Bolt ☕"}}');
const delivery = { id: 'd', eventId: 'e', eventType: 'order.created' } as const;
/** One millisecond before the next second. */
const NOW = new Date(1_767_225_600_999);

const sign = (secret: string, prefix: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', Buffer.from(secret, 'hex')).update(`${prefix}${BODY.toString()}`).digest(encoding);

test('an attempt is signed with every active secret, the newest first, for the second in which it starts', () => {
  const headers = createDeliveryHeaders(delivery, 3, BODY, SECRETS.map(createSigningKey), NOW, 'Test/1');
  expect(headers).toEqual({
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Test/1',
    accept: '*/*',
    'X-Service-Event': 'order.created',
    'X-Service-Timestamp': '1767225600',
    'X-Service-Signature': SECRETS.map((secret) => `v1=${sign(secret, '1767225600.', 'hex')}`).join(','),
    'X-Service-Event-Id': 'e',
    'X-Service-Delivery-Id': 'd',
    'X-Service-Attempt': '3',
    'webhook-id': 'e',
    'webhook-timestamp': '1767225600',
    'webhook-signature': SECRETS.map((secret) => `v1,${sign(secret, 'e.1767225600.', 'base64')}`).join(' '),
  });
});

test('a connectivity check is not signed', () => {
  expect(createCheckHeaders('webhook.test', 'Test/1')).toEqual({
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Test/1',
    accept: '*/*',
    'X-Service-Event': 'webhook.test',
  });
});
