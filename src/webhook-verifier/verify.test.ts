import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { WebhookVerificationError, verifyWebhook } from './verify.ts';

const SECRET = 'ab'.repeat(32);
const BODY = '{"event":"order.created","data":{"id":"1","eventId":"e"}}';
const now = new Date('2026-01-01T00:00:00Z');
const sign = (body: string, at = now, secret = SECRET) => {
  const timestamp = String(at.getTime() / 1_000);
  const hex = createHmac('sha256', Buffer.from(secret, 'hex')).update(`${timestamp}.${body}`).digest('hex');
  return { 'x-service-timestamp': timestamp, 'x-service-signature': `v1=${hex}` };
};
const failure = (work: () => unknown): [string, string] => {
  try {
    work();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return [error.reason, error.message];
    throw error;
  }
  return ['none', ''];
};

test('verifyWebhook accepts strings, bytes, any case of header names, Fetch headers, and any of several signatures', () => {
  const headers = sign(BODY);
  const result = { event: 'order.created', data: { id: '1', eventId: 'e' }, eventId: 'e', deliveryId: null, attempt: null };
  expect(verifyWebhook(BODY, headers, SECRET, { now })).toEqual(result);
  expect(verifyWebhook(Buffer.from(BODY), new Headers(headers), SECRET, { now })).toEqual(result);
  const upper = {
    'X-Service-Timestamp': headers['x-service-timestamp'],
    'X-Service-Signature': `v1=${'0'.repeat(64)}, ${headers['x-service-signature']}`,
  };
  expect(verifyWebhook(BODY, upper, SECRET, { now })).toEqual(result);
});

test('verifyWebhook reports by how many seconds a signature is stale', () => {
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
  expect(failure(() => verifyWebhook(BODY, sign(BODY), SECRET, { now: at(300) }))).toEqual(['none', '']);
  expect(failure(() => verifyWebhook(BODY, sign(BODY), SECRET, { now: at(310) }))).toEqual([
    'stale',
    'stale by 10 s: signed 310 s ago; the tolerance is 300 s',
  ]);
  expect(failure(() => verifyWebhook(BODY, sign(BODY), SECRET, { now: at(-301) }))[1]).toBe(
    'signed 301 s in the future; the tolerance is 300 s',
  );
  expect(failure(() => verifyWebhook(BODY, sign(BODY), SECRET, { now: at(5), toleranceSeconds: 1 }))[0]).toBe('stale');
});

test('verifyWebhook reads the time from a clock at each call', () => {
  const clock = { at: now };
  const options = { now: () => clock.at };
  expect(failure(() => verifyWebhook(BODY, sign(BODY), SECRET, options))[0]).toBe('none');
  clock.at = new Date(now.getTime() + 25 * 3_600_000);
  expect(failure(() => verifyWebhook(BODY, sign(BODY), SECRET, options))[0]).toBe('stale');
  expect(failure(() => verifyWebhook(BODY, sign(BODY, clock.at), SECRET, options))[0]).toBe('none');
  expect(() => verifyWebhook(BODY, sign(BODY), SECRET, { now: () => new Date('soon') })).toThrow(TypeError);
});

test('verifyWebhook throws for a tolerance or a time that is not a number', () => {
  for (const options of [{ toleranceSeconds: Number('unset'), now }, { now: new Date('soon') }])
    expect(() => verifyWebhook(BODY, sign(BODY), SECRET, options)).toThrow(TypeError);
  const anyAge = { toleranceSeconds: Infinity, now: new Date(0) };
  expect(failure(() => verifyWebhook(BODY, sign(BODY), SECRET, anyAge))).toEqual(['none', '']);
});

test('verifyWebhook reports a parsed body as body_changed', () => {
  for (const parsed of [JSON.parse(BODY), undefined, null]) {
    const [reason, message] = failure(() => verifyWebhook(parsed as string, sign(BODY), SECRET, { now }));
    expect([reason, message]).toEqual(['body_changed', expect.stringContaining('raw bytes')]);
  }
});

test.for([
  ['header_missing', BODY, {}, SECRET],
  ['header_missing', BODY, { 'x-service-timestamp': '1' }, SECRET],
  ['header_malformed', BODY, { ...sign(BODY), 'x-service-timestamp': 'soon' }, SECRET],
  ['header_malformed', BODY, { ...sign(BODY), 'x-service-signature': 'v2=00' }, SECRET],
  ['signature_mismatch', BODY, sign(BODY), 'cd'.repeat(32)],
  ['signature_mismatch', BODY.replace('1', '2'), sign(BODY), SECRET],
  ['signature_mismatch', BODY, { ...sign(BODY), 'x-service-timestamp': '1' }, SECRET],
  ['body_changed', JSON.stringify(JSON.parse(BODY), null, 2), sign(BODY), SECRET],
  ['body_changed', `${BODY}\n`, sign(BODY), SECRET],
  ['secret_malformed', BODY, sign(BODY), 'whsec_abc'],
  ['body_malformed', 'hello', sign('hello'), SECRET],
] as const)('verifyWebhook reports %s', ([reason, body, headers, secret]) => {
  expect(failure(() => verifyWebhook(body, headers, secret, { now }))[0]).toBe(reason);
});

test('verifyWebhook reports a missing secret as secret_malformed', () => {
  for (const secret of [undefined, ''])
    expect(failure(() => verifyWebhook(BODY, sign(BODY), secret, { now }))).toEqual(['secret_malformed', 'the signing secret is missing']);
});

test.each(['zz', ' ', 'a', 'ab', ' ab', '=', '\u0000', '-', '\n'])('verifyWebhook rejects %j after the digest', (more) => {
  const headers = sign(BODY);
  const signature = `${headers['x-service-signature']}${more}x`;
  expect(failure(() => verifyWebhook(BODY, { ...headers, 'x-service-signature': signature }, SECRET, { now }))[0]).toBe('header_malformed');
});

test('verifyWebhook ignores a malformed signature next to a valid one', () => {
  const headers = sign(BODY);
  const signature = `${headers['x-service-signature']}zz, ${headers['x-service-signature']}`;
  expect(verifyWebhook(BODY, { ...headers, 'x-service-signature': signature }, SECRET, { now }).event).toBe('order.created');
});
