/** What the engine finishes when it stops, what it stores while the store fails, and what it does again. */
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { RecordedDelivery } from '../../src/delivery/record-results.ts';
import type { Sender } from '../../src/delivery/sender.ts';
import { StoreUnavailable } from '../../src/domain/kernel/ports.ts';
import {
  NO_SAFETY_POLLS,
  type DeliveryStore,
  createEngine,
  createLocalSender,
  openDeliveryStore,
} from '../support/resources/delivery-store.ts';
import { startReceiver } from '../support/servers/webhook-receiver.ts';

/** Longer than the timeout of a test: a drain that waits for it fails. */
const NEVER_MS = 600_000;

/** Makes every transaction fail until the returned function is called. */
function failWrites(s: DeliveryStore) {
  const transact = s.store.transact.bind(s.store);
  const failed = { count: 0, first: Promise.withResolvers<void>() };
  s.store.transact = () => {
    failed.count += 1;
    failed.first.resolve();
    return Promise.reject(new StoreUnavailable('the disk is full'));
  };
  return { failed, repair: () => void (s.store.transact = transact) };
}

function collectErrors() {
  const errors: unknown[][] = [];
  return { errors, log: { error: (...entry: unknown[]) => void errors.push(entry) } };
}

const flushTurns = async () => {
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
};

test('a stop without attempts in progress does not wait', async () => {
  const s = await openDeliveryStore();
  await using receiver = await startReceiver();
  const { id } = await s.addEndpoint({ targetUrl: receiver.url });
  const engine = createEngine(s);
  await engine.drain(NEVER_MS);
  const started = createEngine(s);
  await started.start();
  await s.addDeliveries(id, 1);
  await s.waitFor(([row]) => row?.status === 'delivered');
  await started.drain(NEVER_MS);
  expect(receiver.received).toHaveLength(1);
});

test('a stop ends with the last attempt in progress, and its outcome is stored', async () => {
  const s = await openDeliveryStore();
  const responses: ServerResponse[] = [];
  await using receiver = await startReceiver((response) => void responses.push(response));
  const { id } = await s.addEndpoint({ targetUrl: receiver.url });
  await s.addDeliveries(id, 6);
  const engine = createEngine(s);
  await engine.start();
  await receiver.count(4);
  let isDrained = false;
  const drained = engine.drain(NEVER_MS).then(() => (isDrained = true));
  for (const response of responses.slice(0, 3)) response.writeHead(200).end();
  await s.waitFor((rows) => rows.filter(({ status }) => status === 'delivered').length === 3);
  await flushTurns();
  expect(isDrained).toBe(false);
  responses[3]?.writeHead(500).end();
  await drained;
  expect((await s.listDeliveries()).map(({ status }) => status).toSorted()).toEqual([
    'delivered',
    'delivered',
    'delivered',
    'pending',
    'pending',
    'retrying',
  ]);
  expect(receiver.received).toHaveLength(4);
});

test('a stop waits for a single attempt in progress', async () => {
  const s = await openDeliveryStore();
  const responses: ServerResponse[] = [];
  await using receiver = await startReceiver((response) => void responses.push(response));
  const { id } = await s.addEndpoint({ targetUrl: receiver.url });
  await s.addDeliveries(id, 1);
  const engine = createEngine(s);
  await engine.start();
  await receiver.count(1);
  const drained = engine.drain(NEVER_MS);
  await flushTurns();
  responses[0]?.writeHead(200).end();
  await drained;
  expect((await s.listDeliveries()).map(({ status }) => status)).toEqual(['delivered']);
});

test('a stop aborts the attempts that outlast its grace period, and leaves their deliveries due', async () => {
  const s = await openDeliveryStore();
  const closed = Promise.withResolvers<void>();
  await using receiver = await startReceiver((response) => void response.on('close', closed.resolve));
  const { id } = await s.addEndpoint({ targetUrl: receiver.url });
  const rows = await s.addDeliveries(id, 1);
  const engine = createEngine(s);
  await engine.start();
  await receiver.count(1);
  await engine.drain(10);
  await closed.promise;
  expect(await s.listDeliveries()).toEqual(rows);
});

test('a stopped engine reacts to nothing', async () => {
  const s = await openDeliveryStore();
  await using receiver = await startReceiver();
  const { id } = await s.addEndpoint({ targetUrl: receiver.url });
  const { errors, log } = collectErrors();
  const engine = createEngine(s, { log, sender: { send: () => Promise.reject(new Error('stopped')), close: () => Promise.resolve() } });
  await engine.start();
  await engine.drain(NEVER_MS);
  await s.addDeliveries(id, 1);
  s.clock.advance(60);
  await flushTurns();
  expect([receiver.received, errors, (await s.listDeliveries())[0]?.status]).toEqual([[], [], 'pending']);
});

test('a stop while the store fails tries each outcome once more, and leaves the rest to the next start', async () => {
  const s = await openDeliveryStore();
  const responses: ServerResponse[] = [];
  await using receiver = await startReceiver((response) => void responses.push(response));
  const { id } = await s.addEndpoint({ targetUrl: receiver.url });
  const rows = await s.addDeliveries(id, 2);
  const { errors, log } = collectErrors();
  const engine = createEngine(s, { log, outcomeRetryMs: 20 });
  await engine.start();
  await receiver.count(2);
  const { failed, repair } = failWrites(s);
  responses[0]?.writeHead(200).end();
  await failed.first.promise;
  await expect.poll(() => errors.length).toBeGreaterThanOrEqual(1);
  const before = failed.count;
  const drained = engine.drain(NEVER_MS);
  responses[1]?.writeHead(200).end();
  await drained;
  expect(failed.count - before).toBeGreaterThanOrEqual(1);
  expect(failed.count - before).toBeLessThanOrEqual(2);
  const after = failed.count;
  await flushTurns();
  expect(failed.count).toBe(after);
  repair();
  expect(await s.listDeliveries()).toEqual(rows);
  receiver.answer = 200;
  await createEngine(s).start();
  await s.waitFor((all) => all.every(({ status }) => status === 'delivered'));
});

test('outcomes that could not be stored are stored later, without another attempt', async () => {
  const s = await openDeliveryStore();
  await using receiver = await startReceiver(200);
  const { id } = await s.addEndpoint({ targetUrl: receiver.url });
  await s.addDeliveries(id, 2);
  const { errors, log } = collectErrors();
  const recorded: RecordedDelivery[] = [];
  const engine = createEngine(s, { log, onRecorded: (each) => recorded.push(each) });
  const { repair } = failWrites(s);
  await engine.start();
  await receiver.count(2);
  await expect.poll(() => errors.length).toBeGreaterThanOrEqual(2);
  expect(recorded).toEqual([]);
  repair();
  const rows = await s.waitFor((all) => all.every(({ status }) => status === 'delivered'));
  await expect.poll(() => recorded.length).toBe(2);
  expect(rows.map(({ attempts }) => attempts)).toEqual([1, 1]);
  expect(receiver.received).toHaveLength(2);
  expect(recorded.map(({ delivery, tenantId, outcome }) => [delivery.status, tenantId, outcome?.httpStatus])).toEqual([
    ['delivered', s.tenantId, 200],
    ['delivered', s.tenantId, 200],
  ]);
  expect(errors[0]).toEqual([
    { err: expect.any(StoreUnavailable), count: expect.any(Number) },
    'could not store delivery outcomes; trying again',
  ]);
});

test('a poll that fails is reported and repeated with the next reason to poll', async () => {
  const s = await openDeliveryStore();
  await using receiver = await startReceiver();
  const { id } = await s.addEndpoint({ targetUrl: receiver.url });
  const { errors, log } = collectErrors();
  const engine = createEngine(s, { log });
  await engine.start();
  await flushTurns();
  const read = s.store.read.bind(s.store);
  s.store.read = () => {
    s.store.read = read;
    return Promise.reject(new StoreUnavailable('the disk is gone'));
  };
  await s.addDeliveries(id, 1);
  await expect.poll(() => errors).toEqual([[{ err: expect.any(StoreUnavailable) }, 'delivery poll failed; retrying']]);
  await s.addDeliveries(id, 1);
  s.clock.advance(1);
  await s.waitFor((rows) => rows.every(({ status }) => status === 'delivered'));
});

test('an attempt that throws is reported, frees its slot and is not repeated before the next start', async () => {
  const s = await openDeliveryStore();
  await using receiver = await startReceiver();
  const bad = await s.addEndpoint({ targetUrl: 'http://127.0.0.1:9/bad' });
  const good = await s.addEndpoint({ targetUrl: receiver.url });
  const { errors, log } = collectErrors();
  const inner = createLocalSender();
  let attempts = 0;
  const sender: Sender = {
    close: () => inner.close(),
    send(request) {
      if (request.url === receiver.url) return inner.send(request);
      attempts += 1;
      return Promise.reject(new Error('a bug'));
    },
  };
  const rows = await s.addDeliveries(bad.id, 5);
  const engine = createEngine(s, { log, sender });
  await engine.start();
  // More than the endpoint has slots.
  await expect.poll(() => errors.length).toBe(5);
  expect(errors[0]).toEqual([{ err: new Error('a bug'), deliveryId: rows[0]?.id }, 'delivery attempt failed with an unexpected error']);
  await s.addDeliveries(good.id, 1);
  s.clock.advance(60);
  await s.waitFor((all) => all.some(({ status }) => status === 'delivered'));
  await flushTurns();
  expect(attempts).toBe(5);
  await engine.drain(NEVER_MS);
});

test('a delivery whose event is no longer in the change log is discarded without an attempt', async () => {
  const s = await openDeliveryStore();
  await using receiver = await startReceiver();
  const { id } = await s.addEndpoint({ targetUrl: receiver.url });
  await s.addDeliveries(id, 1, (row) => ({ ...row, eventId: s.newId() }));
  await createEngine(s).start();
  const [row] = await s.waitFor((rows) => rows[0]?.status !== 'pending');
  expect([row?.status, row?.lastError, row?.attempts, receiver.received]).toEqual(['discarded', 'event_expired', 0, []]);
});

test('a retry is sent when it is due, without any other event', async () => {
  const s = await openDeliveryStore();
  await using receiver = await startReceiver();
  const { id } = await s.addEndpoint({ targetUrl: receiver.url });
  await createEngine(s, NO_SAFETY_POLLS).start();
  const [row] = await s.addDeliveries(id, 1, (each) => ({ ...each, status: 'retrying', attempts: 1, dueAt: s.after(0.2) }));
  const [sent] = await s.waitFor((rows) => rows[0]?.status === 'delivered');
  const startedAt = sent?.history?.at(-1)?.at ?? '';
  expect(startedAt >= (row?.dueAt ?? '~')).toBe(true);
  expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['2']);
});

test('an endpoint fails while its last attempt failed, and is sent to again after a success', async () => {
  const s = await openDeliveryStore();
  const urls = await Promise.all(Array.from({ length: 6 }, () => startReceiver(500)));
  try {
    // Before there are deliveries, because overdue ones are spread at a start.
    const engine = createEngine(s);
    await engine.start();
    for (const { url } of urls) await s.addDeliveries((await s.addEndpoint({ targetUrl: url })).id, 1);
    await s.waitFor((rows) => rows.every(({ status }) => status === 'retrying'));
    // All six fail. With hanging attempts they get 16 slots instead of 24.
    const responses: ServerResponse[] = [];
    for (const receiver of urls) receiver.answer = (response) => void responses.push(response);
    for (const row of await s.listDeliveries()) await s.addDeliveries(row.webhookId, 4);
    await expect.poll(() => responses.length).toBe(16);
    await flushTurns();
    expect(responses).toHaveLength(16);
    // A success makes an endpoint healthy: each gets its other slots.
    for (const receiver of urls) receiver.answer = 200;
    for (const response of responses) response.writeHead(200).end();
    await s.waitFor((rows) => rows.filter(({ status }) => status === 'delivered').length === 24);
    await engine.drain(NEVER_MS);
  } finally {
    for (const receiver of urls) await receiver[Symbol.asyncDispose]();
  }
});

test('the engine reports that it records a delivery only while it commits its outcome', async () => {
  const s = await openDeliveryStore();
  await using receiver = await startReceiver();
  const { id } = await s.addEndpoint({ targetUrl: receiver.url });
  const engine = createEngine(s);
  const states: boolean[] = [];
  const [row] = await s.addDeliveries(id, 1);
  s.store.onCommit(({ changes }) => {
    if (changes.some((change) => change.id === row?.id)) states.push(engine.isRecording(row?.id ?? ''));
  });
  expect(engine.isRecording(row?.id ?? '')).toBe(false);
  await engine.start();
  await s.waitFor(([each]) => each?.status === 'delivered');
  await engine.drain(NEVER_MS);
  expect([states, engine.isRecording(row?.id ?? '')]).toEqual([[true], false]);
});
