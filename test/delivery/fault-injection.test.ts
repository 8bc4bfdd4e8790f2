/** Faults that are injected into attempts. */
import { expect, onTestFinished, test } from 'vitest';
import { injectDeliveryFaults } from '../../src/delivery/fault-injection.ts';
import type { Sender } from '../../src/delivery/sender.ts';
import { type FaultDraft, createFaultRegistry } from '../../src/domain/faults/fault-registry.ts';
import { createLocalSender } from '../support/resources/delivery-store.ts';
import { startReceiver } from '../support/servers/webhook-receiver.ts';

const STARTED_AT = new Date('2026-01-01T00:00:00.000Z');
const NO_FAULT: FaultDraft = { status: null, latencyMs: 0, retryAfter: null, drop: null, rate: 1, remaining: null, expiresAt: null };

function openSender(inner: Sender = createLocalSender()) {
  const faults = createFaultRegistry({ now: () => STARTED_AT, random: () => 0, operations: [], onChange: () => undefined });
  const sender = injectDeliveryFaults(inner, faults);
  onTestFinished(() => sender.close());
  return {
    close: () => sender.close(),
    set: (url: string, fault: Partial<FaultDraft>) => faults.set(url, { ...NO_FAULT, ...fault }),
    send: (url: string, timeoutMs = 20_000) => sender.send({ url, headers: {}, body: Buffer.from('{}'), timeoutMs, startedAt: STARTED_AT }),
  };
}

test.for([
  [503, 9, 'http_503'],
  [302, null, 'redirect_not_followed'],
  [410, null, 'endpoint_gone'],
  [200, null, null],
] as const)('the status %s is returned without a request', async ([status, retryAfter, error]) => {
  await using receiver = await startReceiver();
  const { set, send } = openSender();
  set(receiver.url, { status, retryAfter });
  const outcome = await send(receiver.url);
  expect(outcome).toEqual({
    startedAt: STARTED_AT,
    milliseconds: outcome?.milliseconds,
    httpStatus: status,
    error,
    retryAfterSeconds: retryAfter,
  });
  expect(receiver.received).toEqual([]);
});

test('the drop `before` loses the request, the drop `after` only its response', async () => {
  await using receiver = await startReceiver((response) => void response.writeHead(503, { 'retry-after': '9' }).end());
  const { set, send } = openSender();
  const lost = {
    startedAt: STARTED_AT,
    milliseconds: expect.any(Number),
    httpStatus: null,
    error: 'connection_reset',
    retryAfterSeconds: null,
  };
  set(receiver.url, { drop: 'before' });
  expect([await send(receiver.url), receiver.received.length]).toEqual([lost, 0]);
  set(receiver.url, { drop: 'after' });
  expect([await send(receiver.url), receiver.received.length]).toEqual([lost, 1]);
});

test('a latency delays the request and counts for the attempt', async () => {
  await using receiver = await startReceiver((response) => void response.writeHead(503, { 'retry-after': '9' }).end());
  const { set, send } = openSender();
  set(receiver.url, { latencyMs: 60 });
  const outcome = await send(receiver.url);
  expect(outcome).toMatchObject({ startedAt: STARTED_AT, httpStatus: 503, error: 'http_503', retryAfterSeconds: 9 });
  expect(outcome?.milliseconds).toBeGreaterThanOrEqual(59);
});

test('a latency as long as the timeout is a timeout, without a request', async () => {
  await using receiver = await startReceiver();
  const { set, send } = openSender();
  const timeout = { httpStatus: null, error: 'timeout', retryAfterSeconds: null };
  set(receiver.url, { latencyMs: 50, status: 503 });
  expect(await send(receiver.url, 50)).toMatchObject(timeout);
  set(receiver.url, { latencyMs: 600_000 });
  expect(await send(receiver.url, 50)).toMatchObject(timeout);
  expect(receiver.received).toEqual([]);
});

test('after a latency, the request has the rest of the timeout', async () => {
  const timeouts: number[] = [];
  const { set, send } = openSender({
    send({ timeoutMs }) {
      timeouts.push(timeoutMs);
      return Promise.resolve(undefined);
    },
    close: () => Promise.resolve(),
  });
  set('http://a.test/', { latencyMs: 30 });
  expect(await send('http://a.test/', 1_000)).toBeUndefined();
  set('http://a.test/', { drop: 'after' });
  expect(await send('http://a.test/', 1_000)).toBeUndefined();
  expect(timeouts).toEqual([970, 1_000]);
});

test('an attempt to another URL has no fault', async () => {
  await using receiver = await startReceiver();
  const { set, send } = openSender();
  expect(await send(receiver.url)).toMatchObject({ httpStatus: 200 });
  set('http://127.0.0.1:9/', { status: 500 });
  expect(await send(receiver.url)).toMatchObject({ httpStatus: 200 });
});

test('close ends a delayed attempt and the requests in progress, without an outcome', async () => {
  await using receiver = await startReceiver(() => undefined);
  const { set, send, close } = openSender();
  const hanging = send(receiver.url);
  await receiver.count(1);
  set(receiver.url, { latencyMs: 600_000, status: 503 });
  const delayed = send(receiver.url, 900_000);
  set(receiver.url, { drop: 'after' });
  const dropped = send(receiver.url);
  await receiver.count(2);
  await close();
  expect(await Promise.all([hanging, delayed, dropped])).toEqual([undefined, undefined, undefined]);
});
