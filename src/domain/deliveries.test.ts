import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEMO_RETRY_SCHEDULE_S, OVERLOAD_DELAY_S, RETRY_SCHEDULE_S } from '../contract/limits.ts';
import type { DeliveryError } from '../contract/webhooks.ts';
import { type DeliveryRecord, type Outcome, afterAttempt, deliveryForm, discarded, newDelivery } from './deliveries.ts';
import { healthAfter, isGivenUp } from './webhooks.ts';

const SEED = 20_261_121;

const WEBHOOK = '5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e';
const AT = '2026-01-01T00:00:00.000Z';
const rules = { scheduleSeconds: RETRY_SCHEDULE_S, overloadSeconds: OVERLOAD_DELAY_S };
const demo = { scheduleSeconds: DEMO_RETRY_SCHEDULE_S, overloadSeconds: 0 };
const fresh = newDelivery('d', WEBHOOK, { id: 'e', name: 'order.created' }, AT);
const outcome = (error: DeliveryError | null, more: Partial<Outcome> = {}): Outcome => ({
  startedAt: new Date(AT),
  milliseconds: 0,
  httpStatus: 500,
  error,
  retryAfterSeconds: null,
  ...more,
});
const waits = (row: DeliveryRecord) => (Date.parse(row.dueAt) - Date.parse(AT)) / 1_000;
const failing = (attempts: number): DeliveryRecord => ({ ...fresh, status: 'retrying', attempts });

test('the jitter spreads each delay from 0.8 to 1.2 of what is planned', () => {
  for (const [attempts, planned] of RETRY_SCHEDULE_S.entries()) {
    expect(waits(afterAttempt(failing(attempts), outcome('http_500'), rules, 0))).toBeCloseTo(planned * 0.8, 3);
    expect(waits(afterAttempt(failing(attempts), outcome('http_500'), rules, 1))).toBeCloseTo(planned * 1.2, 3);
  }
  expect(waits(afterAttempt(fresh, outcome('http_500'), demo, 0))).toBe(1);
});

test('the attempt after the last delay is the last', () => {
  const row = afterAttempt(failing(RETRY_SCHEDULE_S.length), outcome('http_500'), rules, 0.5);
  expect(row).toMatchObject({ status: 'failed', attempts: 8, lastError: 'http_500', lastHttpStatus: 500, queue: null, dueAt: AT });
});

test.for(['timeout', 'http_429', 'http_502', 'http_504'] as const)(
  'after %s a receiver is left alone for a minute, except in a show',
  (error) => {
    expect(waits(afterAttempt(fresh, outcome(error), rules, 0.5))).toBe(60);
    expect(waits(afterAttempt(failing(1), outcome(error), rules, 0.5))).toBe(300);
    expect(waits(afterAttempt(fresh, outcome(error), demo, 0.5))).toBe(1);
  },
);

test('503 is no overload, but its Retry-After counts; a shorter one than planned does not', () => {
  expect(waits(afterAttempt(fresh, outcome('http_503'), rules, 0.5))).toBe(5);
  expect(waits(afterAttempt(fresh, outcome('http_503', { retryAfterSeconds: 90 }), rules, 0.5))).toBe(90);
  expect(waits(afterAttempt(fresh, outcome('http_503', { retryAfterSeconds: 1 }), rules, 0.5))).toBe(5);
  expect(waits(afterAttempt(fresh, outcome('http_503', { retryAfterSeconds: 1e9 }), rules, 0.5))).toBe(86_400);
});

test('a delivery that was resent by hand has one attempt', () => {
  const row = afterAttempt({ ...fresh, manual: true, attempts: 3 }, outcome('http_500'), rules, 0.5);
  expect(row.status).toBe('failed');
  expect(row).not.toHaveProperty('manual');
});

test('an attempt that ends after its delivery was discarded changes the status only when it succeeded', () => {
  const gone = discarded(fresh, 'endpoint_disabled', new Date(AT));
  expect(afterAttempt(gone, outcome('http_500'), rules, 0.5)).toMatchObject({
    status: 'discarded',
    attempts: 1,
    lastError: 'endpoint_disabled',
  });
  expect(afterAttempt(gone, outcome(null, { httpStatus: 200 }), rules, 0.5)).toMatchObject({ status: 'delivered', lastError: null });
});

test('what is kept of attempts is bounded', () => {
  let row: DeliveryRecord = fresh;
  for (let count = 0; count < 40; count += 1)
    row = afterAttempt({ ...row, status: 'pending', manual: true }, outcome('http_500'), rules, 0.5);
  expect([row.attempts, row.history?.length]).toEqual([40, 25]);
});

test('an endpoint is given up after 120 hours and ten attempts, both', () => {
  let health = healthAfter(undefined, WEBHOOK, false, AT);
  const late = new Date(Date.parse(AT) + 120 * 3_600_000);
  for (let count = 1; count < 10; count += 1) {
    expect(health && isGivenUp(health, late)).toBe(false);
    health = healthAfter(health, WEBHOOK, false, late.toISOString());
  }
  expect(health && isGivenUp(health, late)).toBe(true);
  expect(health && isGivenUp(health, new Date(late.getTime() - 1))).toBe(false);
  expect(healthAfter(health, WEBHOOK, true, AT)).toBeUndefined();
});

test('a row comes back from its short form as it was, whatever became of it', () => {
  const attempt = fc.record({
    error: fc.option(fc.constantFrom('http_500', 'timeout', 'endpoint_gone', 'connection_reset' as const), { nil: null }),
    httpStatus: fc.option(fc.constantFrom(200, 204, 500), { nil: null }),
    milliseconds: fc.nat(5_000),
    later: fc.integer({ min: -5_000, max: 90_000 }),
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
  fc.assert(
    fc.property(fc.array(attempt, { maxLength: 3 }), strange, fc.boolean(), (attempts, more, isDiscarded) => {
      let row: DeliveryRecord = fresh;
      for (const { later, ...each } of attempts)
        row = afterAttempt(row, { ...outcome(null), ...each, startedAt: new Date(Date.parse(AT) + later) }, rules, 0.5);
      for (const each of [row, { ...row, ...more }, isDiscarded ? discarded(row, 'endpoint_disabled', new Date(AT)) : row]) {
        expect(deliveryForm.read(deliveryForm.write(each))).toStrictEqual(each);
        expect(deliveryForm.read(JSON.stringify(each))).toStrictEqual(each);
      }
    }),
    { seed: SEED },
  );
  const delivered = afterAttempt(fresh, outcome(null, { httpStatus: 200 }), rules, 0.5);
  for (const short of [fresh, delivered]) expect(deliveryForm.write(short).length).toBeLessThan(JSON.stringify(short).length / 1.5);
});

test('a row as an earlier release wrote it stands in the queue of its endpoint while it is open', () => {
  const waiting = afterAttempt(fresh, outcome('http_500'), rules, 0.5);
  const failed = afterAttempt(failing(RETRY_SCHEDULE_S.length), outcome('http_500'), rules, 0.5);
  for (const row of [fresh, waiting, failed]) {
    const { queue, dueAt, ...rest } = row;
    const place = queue === null ? `~ ${dueAt}` : `${queue} ${dueAt}`;
    expect(deliveryForm.read(JSON.stringify({ ...rest, place }))).toStrictEqual(row);
  }
});
