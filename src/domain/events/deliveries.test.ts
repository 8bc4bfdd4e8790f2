import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEMO_RETRY_SCHEDULE_S, HELD_MAX_H, OVERLOAD_DELAY_S, RETRY_SCHEDULE_S } from '../../contract/limits.ts';
import type { DeliveryError } from '../../contract/resources/webhooks.ts';
import type { DeliveryRecord } from './records.ts';
import { type AttemptOutcome, applyAttempt, toDiscarded, createDelivery } from './delivery-state.ts';
import { discardExpiredHeldDeliveries, makeDeliveriesDueNow, requeueDelivery } from './deliveries.ts';
import { deliveryCodec } from './delivery-codec.ts';
import { checkProperty } from '../../../test/support/property.ts';
import { openDeliveryStore } from '../../../test/support/resources/delivery-store.ts';

const WEBHOOK = '5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e';
const AT = '2026-01-01T00:00:00.000Z';
const rules = { scheduleSeconds: RETRY_SCHEDULE_S, overloadSeconds: OVERLOAD_DELAY_S };
const demo = { scheduleSeconds: DEMO_RETRY_SCHEDULE_S, overloadSeconds: 0 };
const fresh = createDelivery('d', WEBHOOK, { id: 'e', name: 'order.created' }, AT);
const outcome = (error: DeliveryError | null, more: Partial<AttemptOutcome> = {}): AttemptOutcome => ({
  startedAt: new Date(AT),
  milliseconds: 0,
  httpStatus: 500,
  error,
  retryAfterSeconds: null,
  ...more,
});
const waits = (row: DeliveryRecord) => (Date.parse(row.dueAt) - Date.parse(AT)) / 1_000;
const failing = (attempts: number): DeliveryRecord => ({ ...fresh, status: 'retrying', attempts });

test('applyAttempt spreads each retry delay by jitter from 0.8 to 1.2 of the schedule', () => {
  for (const [attempts, planned] of RETRY_SCHEDULE_S.entries()) {
    expect(waits(applyAttempt(failing(attempts), outcome('http_500'), rules, 0))).toBeCloseTo(planned * 0.8, 3);
    expect(waits(applyAttempt(failing(attempts), outcome('http_500'), rules, 1))).toBeCloseTo(planned * 1.2, 3);
  }
  expect(waits(applyAttempt(fresh, outcome('http_500'), demo, 0))).toBe(1);
});

test('applyAttempt fails a delivery after the last retry of the schedule', () => {
  const row = applyAttempt(failing(RETRY_SCHEDULE_S.length), outcome('http_500'), rules, 0.5);
  expect(row).toMatchObject({ status: 'failed', attempts: 8, lastError: 'http_500', lastHttpStatus: 500, queue: null, dueAt: AT });
});

test('a discarded delivery is updated at the time of the discard, but never before its last update', () => {
  const later = '2026-01-01T00:00:01.000Z';
  expect(toDiscarded(fresh, 'endpoint_disabled', new Date(later)).updatedAt).toBe(later);
  expect(toDiscarded({ ...fresh, updatedAt: later }, 'endpoint_disabled', new Date(AT)).updatedAt).toBe(later);
});

test.for(['timeout', 'http_429', 'http_502', 'http_504'] as const)(
  'applyAttempt waits at least a minute after %s, except with the demo schedule',
  (error) => {
    expect(waits(applyAttempt(fresh, outcome(error), rules, 0.5))).toBe(60);
    expect(waits(applyAttempt(failing(1), outcome(error), rules, 0.5))).toBe(300);
    expect(waits(applyAttempt(fresh, outcome(error), demo, 0.5))).toBe(1);
  },
);

test('applyAttempt does not count 503 as overload, but honors its Retry-After if it is longer than the schedule', () => {
  expect(waits(applyAttempt(fresh, outcome('http_503'), rules, 0.5))).toBe(5);
  expect(waits(applyAttempt(fresh, outcome('http_503', { retryAfterSeconds: 90 }), rules, 0.5))).toBe(90);
  expect(waits(applyAttempt(fresh, outcome('http_503', { retryAfterSeconds: 1 }), rules, 0.5))).toBe(5);
  expect(waits(applyAttempt(fresh, outcome('http_503', { retryAfterSeconds: 1e9 }), rules, 0.5))).toBe(86_400);
});

test('a delivery that was delivered stays delivered, whatever becomes of its resend', () => {
  const delivered = applyAttempt(fresh, outcome(null, { httpStatus: 200 }), rules, 0.5);
  const later = new Date(Date.parse(AT) + 60_000);
  const resent = requeueDelivery(requeueDelivery(delivered, later), later);
  expect(resent).toMatchObject({ status: 'pending', queue: WEBHOOK });
  const failed = applyAttempt(resent, outcome('http_500', { startedAt: later }), rules, 0.5);
  expect(failed).toMatchObject({ status: 'delivered', attempts: 2, lastError: 'http_500', lastHttpStatus: 500, queue: null });
  expect(failed).not.toHaveProperty('wasDelivered');
  const discarded = toDiscarded(resent, 'endpoint_disabled', later);
  expect(discarded).toMatchObject({ status: 'delivered', attempts: 1, lastError: 'endpoint_disabled', queue: null });
  expect(deliveryCodec.decode(deliveryCodec.encode(resent))).toEqual(resent);
  // A resend that succeeds, and one of a delivery that never was delivered, are as before.
  expect(applyAttempt(resent, outcome(null, { httpStatus: 200 }), rules, 0.5)).toMatchObject({ status: 'delivered', lastError: null });
  const undelivered = requeueDelivery(toDiscarded(fresh, 'endpoint_disabled', later), later);
  expect(applyAttempt(undelivered, outcome('http_500'), rules, 0.5)).toMatchObject({ status: 'failed' });
});

test('a resend of a retrying delivery takes none of its retries, and keeps the time of the next one', () => {
  const retrying = applyAttempt(failing(1), outcome('http_500'), rules, 0.5);
  const again = requeueDelivery(retrying, new Date(AT));
  expect([again.status, again.dueAt]).toEqual(['retrying', AT]);
  const resent = applyAttempt(requeueDelivery(again, new Date(AT)), outcome('http_500'), rules, 0.5);
  expect(resent).toMatchObject({ status: 'retrying', attempts: 3, dueAt: retrying.dueAt });
  expect(deliveryCodec.decode(deliveryCodec.encode(resent))).toEqual(resent);
  const next = (row: DeliveryRecord) => applyAttempt({ ...row }, outcome('http_500'), rules, 0.5);
  expect(waits(next(resent))).toBe(waits(next(retrying)));
  // A receiver that asks for a later attempt gets it.
  expect(waits(applyAttempt(again, outcome('http_503', { retryAfterSeconds: 80_000 }), rules, 0.5))).toBe(80_000);
});

test('a resend of a delivery that is due already leaves no other time', () => {
  expect(requeueDelivery(fresh, new Date(AT))).toEqual({ ...fresh, dueAt: AT });
});

test('applyAttempt gives a manually resent delivery one attempt', () => {
  const row = applyAttempt({ ...fresh, manual: true, attempts: 3 }, outcome('http_500'), rules, 0.5);
  expect(row.status).toBe('failed');
  expect(row).not.toHaveProperty('manual');
});

test('applyAttempt changes the status of a discarded delivery only if the attempt succeeded', () => {
  const gone = toDiscarded(fresh, 'endpoint_disabled', new Date(AT));
  expect(applyAttempt(gone, outcome('http_500'), rules, 0.5)).toMatchObject({
    status: 'discarded',
    attempts: 1,
    lastError: 'endpoint_disabled',
  });
  expect(applyAttempt(gone, outcome(null, { httpStatus: 200 }), rules, 0.5)).toMatchObject({ status: 'delivered', lastError: null });
});

test('applyAttempt records how long each step took, from the time when the delivery was due', () => {
  const started = (ms: number) => new Date(Date.parse(AT) + ms);
  const steps = { startedAt: started(40), milliseconds: 30, timing: { connected: 5, answered: 25 } };
  const first = applyAttempt(fresh, outcome('http_500', steps), rules, 0.5, started(78));
  expect(first.history?.at(-1)?.timing).toEqual([40, 5, 25, 8]);
  const late = { startedAt: new Date(Date.parse(first.dueAt) + 3), milliseconds: 30, timing: { connected: null, answered: null } };
  expect(applyAttempt(first, outcome('connection_refused', late), rules, 0.5, started(0)).history?.at(-1)?.timing).toEqual([
    3,
    null,
    null,
    0,
  ]);
  expect(applyAttempt(fresh, outcome('http_500', steps), rules, 0.5).history?.at(-1)).not.toHaveProperty('timing');
});

test('applyAttempt keeps the latest 25 attempts in the history', () => {
  let row: DeliveryRecord = fresh;
  for (let count = 0; count < 40; count += 1)
    row = applyAttempt({ ...row, status: 'pending', manual: true }, outcome('http_500'), rules, 0.5);
  expect([row.attempts, row.history?.length]).toEqual([40, 25]);
});

test('applyAttempt keeps the response of the latest failed attempt with one, also after a success', () => {
  const response = (body: string) => ({ response: { headers: {}, body, isTruncated: false } });
  let row = applyAttempt(fresh, outcome('http_500', response('first')), rules, 0.5);
  row = applyAttempt(row, outcome('http_500', response('second')), rules, 0.5);
  row = applyAttempt(row, outcome('timeout', { httpStatus: null }), rules, 0.5);
  row = applyAttempt(row, outcome(null, { httpStatus: 200 }), rules, 0.5);
  expect(row.history?.map((attempt) => attempt.response?.body)).toEqual([undefined, 'second', undefined, undefined]);
});

test('deliveryCodec reads back every delivery that it writes', async () => {
  const attempt = fc.record({
    error: fc.option(fc.constantFrom('http_500', 'timeout', 'endpoint_gone', 'connection_reset' as const), { nil: null }),
    httpStatus: fc.option(fc.constantFrom(200, 204, 500), { nil: null }),
    milliseconds: fc.nat(5_000),
    later: fc.integer({ min: -5_000, max: 90_000 }),
    body: fc.option(fc.string({ unit: 'binary' }), { nil: null }),
    timing: fc.option(fc.record({ connected: fc.option(fc.nat(9), { nil: null }), answered: fc.option(fc.nat(9), { nil: null }) }), {
      nil: null,
    }),
  });
  const strange = fc.constantFrom<Partial<DeliveryRecord>>(
    {},
    { manual: true },
    { attempts: 7 },
    { updatedAt: '2026-01-02T00:00:00.000Z' },
    { queue: null },
    { dueAt: '2026-02-02T00:00:00.000Z' },
    { lastError: null },
    { lastError: 'timeout' },
    { lastHttpStatus: 201 },
    { history: [] },
    { status: 'pending' },
    { status: 'failed' },
  );
  await checkProperty(
    fc.property(fc.array(attempt, { maxLength: 3 }), strange, fc.boolean(), (attempts, more, isDiscarded) => {
      let row: DeliveryRecord = fresh;
      for (const { later, body, timing, ...each } of attempts) {
        const response = body === null ? {} : { response: { headers: { server: body }, body, isTruncated: true } };
        const startedAt = new Date(Date.parse(AT) + later);
        const steps = timing === null ? {} : { timing };
        row = applyAttempt(row, { ...outcome(null), ...each, ...response, ...steps, startedAt }, rules, 0.5, startedAt);
      }
      for (const each of [row, { ...row, ...more }, isDiscarded ? toDiscarded(row, 'endpoint_disabled', new Date(AT)) : row]) {
        expect(deliveryCodec.decode(deliveryCodec.encode(each))).toStrictEqual(each);
        expect(deliveryCodec.decode(JSON.stringify(each))).toStrictEqual(each);
      }
    }),
    { shortRuns: 100 },
  );
  const delivered = applyAttempt(fresh, outcome(null, { httpStatus: 200 }), rules, 0.5);
  for (const short of [fresh, delivered]) expect(deliveryCodec.encode(short).length).toBeLessThan(JSON.stringify(short).length / 1.5);
});

test('makeDeliveriesDueNow changes the waiting deliveries of one endpoint, and none that is due, ended or of another one', async () => {
  const s = await openDeliveryStore();
  const [own, other] = [await s.addEndpoint(), await s.addEndpoint()];
  const retrying = (row: DeliveryRecord): DeliveryRecord => ({ ...row, status: 'retrying', attempts: 1, dueAt: s.after(60) });
  const waiting = await s.addDeliveries(own.id, 2, retrying);
  const kept = [
    ...(await s.addDeliveries(own.id, 1)),
    ...(await s.addDeliveries(own.id, 1, (row) => ({ ...retrying(row), status: 'failed', queue: null }))),
    ...(await s.addDeliveries(other.id, 1, retrying)),
  ];
  const now = s.clock.now();
  await s.store.transact(s.tenantId, (tx) => makeDeliveriesDueNow(tx, own.id, now));
  expect(await s.listDeliveries()).toEqual([...waiting.map((row) => ({ ...row, dueAt: now.toISOString() })), ...kept]);
});

test('discardExpiredHeldDeliveries counts the time since the pause, the delivery or its resend, whichever is latest', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint();
  const hours = (count: number) => s.after(count * 3_600);
  const rows = await s.addDeliveries(id, 4, (row, index) => ({
    ...row,
    createdAt: hours(index === 3 ? 1 - HELD_MAX_H : -HELD_MAX_H),
    dueAt: hours(-1),
  }));
  // The first was resent an hour ago, the second as long ago as the limit.
  const resent = rows.map((row, index) => ({
    ...row,
    ...(index < 2 && { manual: true as const, dueAt: hours(index === 0 ? -1 : -HELD_MAX_H) }),
  }));
  await s.store.transact(s.tenantId, (tx) => tx.deliveries.putMany(resent));
  const now = s.clock.now();
  const discard = (pausedAt: string, limit: number) =>
    s.store.transact(s.tenantId, (tx) => discardExpiredHeldDeliveries(tx, id, pausedAt, now, limit));
  const list = async () => (await s.listDeliveries()).map(({ status, lastError }) => [status, lastError ?? null]);
  expect(await discard(hours(1 - HELD_MAX_H), 10)).toBe(0);
  const pausedAt = new Date(now.getTime() - HELD_MAX_H * 3_600_000).toISOString();
  expect(await discard(pausedAt, 1)).toBe(1);
  expect(await discard(pausedAt, 10)).toBe(1);
  expect(await discard(pausedAt, 10)).toBe(0);
  const [held, ended] = [
    ['pending', null],
    ['discarded', 'held_too_long'],
  ];
  expect(await list()).toEqual([held, ended, ended, held]);
});
