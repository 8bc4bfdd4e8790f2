/** When outcomes are stored: together while attempts are in progress, and once each. */
import { afterEach, expect, test, vi } from 'vitest';
import { EndpointQueues } from '../../src/delivery/endpoint-queues.ts';
import { OutcomeWriter, type OutcomeWriterOptions } from '../../src/delivery/outcome-writer.ts';
import { StoreUnavailable } from '../../src/domain/kernel/ports.ts';
import { type DeliveryStore, RULES, openDeliveryStore } from '../support/resources/delivery-store.ts';

afterEach(() => void vi.useRealTimers());

/** A writer with an endpoint whose deliveries are being sent. */
async function createWriter(s: DeliveryStore, deliveries: number, more: Partial<OutcomeWriterOptions> = {}) {
  const webhook = await s.addEndpoint();
  const rows = await s.addDeliveries(webhook.id, deliveries);
  const queues = new EndpointQueues(() => true);
  queues.add(s.tenantId, webhook);
  const queue = queues.get(webhook.id)!;
  for (const delivery of rows) {
    queue.enqueue({ delivery, body: undefined });
    queue.inFlight.startSending(delivery.id);
  }
  const polls = { wakes: 0, timers: 0 };
  const log = { error: () => undefined };
  const writer = new OutcomeWriter({ store: s.store, log, rules: RULES, random: () => 0.5, ...more }, queues, {
    wake: () => (polls.wakes += 1),
    armTimer: () => (polls.timers += 1),
  });
  const add = (index: number, httpStatus = 200) =>
    writer.add({
      tenantId: s.tenantId,
      webhookId: webhook.id,
      deliveryId: rows[index]?.id ?? '',
      attempts: rows[index]?.attempts ?? 0,
      targetUrl: webhook.targetUrl,
      outcome: {
        startedAt: s.clock.now(),
        milliseconds: 1,
        httpStatus,
        error: httpStatus === 200 ? null : 'http_500',
        retryAfterSeconds: null,
      },
    });
  const commits: number[] = [];
  s.store.onCommit(({ changes }) => commits.push(changes.filter(({ table }) => table === 'deliveries').length));
  return { writer, queues, queue, rows, polls, add, commits };
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test('with fewer than four attempts in progress, an outcome is stored immediately', async () => {
  const s = await openDeliveryStore();
  const { queues, queue, rows, polls, add, commits, writer } = await createWriter(s, 1);
  queues.sending = 3;
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  add(0);
  await expect.poll(() => commits).toEqual([1]);
  await writer.flush();
  expect([polls, queue.inFlight.has(rows[0]?.id ?? '')]).toEqual([{ wakes: 0, timers: 1 }, false]);
});

test('with four attempts in progress, outcomes are collected for 25 ms', async () => {
  const s = await openDeliveryStore();
  const { queues, add, commits, writer } = await createWriter(s, 3);
  queues.sending = 4;
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  add(0);
  await turns(5);
  add(1);
  await vi.advanceTimersByTimeAsync(24);
  await turns(5);
  expect([commits, writer.pendingTransactions]).toEqual([[], 0]);
  add(2);
  await vi.advanceTimersByTimeAsync(1);
  await writer.flush();
  expect(commits).toEqual([3]);
});

test('while the engine stops, outcomes are stored immediately, whatever is in progress', async () => {
  const s = await openDeliveryStore();
  const { queues, add, commits, writer } = await createWriter(s, 1);
  queues.sending = 4;
  writer.drain();
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  add(0);
  await writer.flush();
  expect(commits).toEqual([1]);
});

test('outcomes that arrive during a commit share the next one, and flush waits for it', async () => {
  const s = await openDeliveryStore();
  const { add, commits, writer, rows } = await createWriter(s, 3);
  add(0);
  await turns(1);
  await expect.poll(() => writer.isRecording(rows[0]?.id ?? '')).toBe(true);
  expect(writer.pendingTransactions).toBe(1);
  add(1);
  add(2);
  expect(writer.isRecording(rows[1]?.id ?? '')).toBe(false);
  await writer.flush();
  expect([commits, writer.pendingTransactions]).toEqual([[1, 2], 0]);
  expect(rows.map(({ id }) => writer.isRecording(id))).toEqual([false, false, false]);
  expect((await s.listDeliveries()).map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
});

test('only the first report of a change during a commit is that of the writer itself', async () => {
  const s = await openDeliveryStore();
  const { add, writer, rows, queue, polls } = await createWriter(s, 1);
  const id = rows[0]?.id ?? '';
  expect(writer.isOwnChange(id)).toBe(false);
  const reports: boolean[] = [];
  s.store.onCommit(() => reports.push(writer.isOwnChange(id), writer.isOwnChange(id), writer.isOwnChange('other')));
  queue.cursor = rows[0]?.dueAt ?? '';
  add(0);
  await writer.flush();
  expect(reports).toEqual([true, false, false]);
  // Someone else changed the row, so it is read again.
  expect([queue.cursor, polls]).toEqual(['', { wakes: 1, timers: 0 }]);
});

test('the queue is polled when a retry is due; a cursor that has passed that time is reset', async () => {
  const s = await openDeliveryStore();
  const { add, writer, queue } = await createWriter(s, 4);
  queue.nextPollAt = Infinity;
  queue.cursor = s.after(-60);
  add(0, 500);
  await writer.flush();
  const [row] = await s.listDeliveries();
  expect([queue.nextPollAt, queue.cursorResets]).toEqual([Date.parse(row?.dueAt ?? ''), 0]);
  // A later retry, and a success, change nothing.
  s.clock.advance(30);
  add(1, 500);
  add(2);
  await writer.flush();
  expect([queue.nextPollAt, queue.cursorResets]).toEqual([Date.parse(row?.dueAt ?? ''), 0]);
  queue.cursor = s.after(3_600);
  add(3, 500);
  await writer.flush();
  expect([queue.cursor, queue.cursorResets, queue.nextPollAt]).toEqual(['', 1, 0]);
});

test('outcomes that could not be stored wait a second by default, and then share a commit with later ones', async () => {
  const s = await openDeliveryStore();
  const errors: unknown[] = [];
  const { add, commits, writer, rows } = await createWriter(s, 2, { log: { error: (...entry: unknown[]) => void errors.push(entry) } });
  const { transact } = s.store;
  s.store.transact = () => Promise.reject(new StoreUnavailable('the disk is full'));
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  add(0);
  while (errors.length === 0) await turns(1);
  expect(errors).toEqual([[{ err: expect.any(StoreUnavailable), count: 1 }, 'could not store delivery outcomes; trying again']]);
  expect([writer.isRecording(rows[0]?.id ?? ''), writer.pendingTransactions]).toEqual([false, 0]);
  s.store.transact = transact;
  add(1);
  await vi.advanceTimersByTimeAsync(999);
  await turns(5);
  expect(commits).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await writer.flush();
  expect(commits).toEqual([2]);
});
