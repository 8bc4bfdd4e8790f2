import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createWebhookRecord } from '../../test/support/resources/webhook-records.ts';
import { DELIVERY_CONCURRENCY, ENDPOINT_DELIVERY_CONCURRENCY } from '../contract/limits.ts';
import { createDelivery } from '../domain/events/delivery-state.ts';
import { EndpointQueue, EndpointQueues, NOW, type TakenDelivery } from './endpoint-queues.ts';

const AT = '2026-01-01T00:00:00.000Z';
const body = Buffer.from('{}');
const createReady = (id: string, webhookId = 'w') => ({
  delivery: createDelivery(id, webhookId, { id: 'e', name: 'order.created' }, AT),
  body,
});

function fill(queue: EndpointQueue | undefined, count: number): void {
  for (let made = 0; made < count; made += 1) queue?.enqueue(createReady(`${queue.webhook.id}-${String(made)}`, queue.webhook.id));
}

/** Queues of the endpoints `w0`, `w1` and so on, each with `count` deliveries. */
function createQueues(endpoints: number, count: number): EndpointQueues {
  const queues = new EndpointQueues(() => true);
  for (let made = 0; made < endpoints; made += 1) {
    const id = `w${String(made)}`;
    queues.add('t', createWebhookRecord({ id }));
    fill(queues.get(id), count);
  }
  return queues;
}

function takeAll(queues: EndpointQueues): TakenDelivery[] {
  const taken = [];
  for (let next = queues.take(); next; next = queues.take()) taken.push(next);
  return taken;
}

const idsOf = (taken: readonly TakenDelivery[]) => taken.map(({ ready }) => ready.delivery.id);

test('no more than 32 attempts are in progress, of all endpoints together', () => {
  const queues = createQueues(9, 10);
  const inProgress = takeAll(queues);
  expect([inProgress.length, queues.sending]).toEqual([32, 32]);
  expect(DELIVERY_CONCURRENCY).toBe(32);
  // Each slot that becomes free is used once.
  for (const taken of inProgress.slice(0, 3)) queues.freeSlot(taken);
  expect([queues.sending, takeAll(queues).length, queues.sending]).toEqual([29, 3, 32]);
});

test('no more than four attempts of one endpoint are in progress', () => {
  const queues = createQueues(1, 10);
  const inProgress = takeAll(queues);
  expect([inProgress.length, queues.get('w0')?.sending]).toEqual([4, 4]);
  queues.freeSlot(inProgress[0]!);
  expect([takeAll(queues).length, queues.get('w0')?.sending]).toEqual([1, 4]);
});

test('failing endpoints use at most 16 of the slots, and the others get the rest', () => {
  const queues = createQueues(16, 10);
  const [first, ...others] = queues.all;
  const healthy = others.slice(-8);
  for (const queue of queues.all) queue.isFailing = true;
  const toFailing = takeAll(queues);
  expect([toFailing.length, toFailing.every(({ wasFailing }) => wasFailing)]).toEqual([16, true]);
  for (const queue of healthy) queue.isFailing = false;
  const toOthers = takeAll(queues);
  expect([toOthers.length, toOthers.some(({ wasFailing }) => wasFailing)]).toEqual([16, false]);
  // A slot that a healthy endpoint frees is not for a failing one; one that a failing endpoint frees is.
  for (const queue of others) queue.ready = [];
  queues.freeSlot(toOthers[0]!);
  expect(takeAll(queues)).toEqual([]);
  queues.freeSlot(toFailing[0]!);
  expect(takeAll(queues)).toMatchObject([{ wasFailing: true, queue: first }]);
});

test('an attempt frees the slot that it used, also when its endpoint started or ceased to fail meanwhile', () => {
  const queues = createQueues(10, 10);
  for (const queue of queues.all.slice(0, 5)) queue.isFailing = true;
  const taken = takeAll(queues);
  for (const queue of queues.all) queue.isFailing = !queue.isFailing;
  for (const each of taken) queues.freeSlot(each);
  expect(queues.sending).toBe(0);
  for (const queue of queues.all) queue.isFailing = true;
  expect(takeAll(queues)).toHaveLength(16);
});

test('endpoints take turns, and the deliveries of each are sent in order', () => {
  const queues = createQueues(3, 3);
  expect(idsOf(takeAll(queues))).toEqual(['w1-0', 'w2-0', 'w0-0', 'w1-1', 'w2-1', 'w0-1', 'w1-2', 'w2-2', 'w0-2']);
});

test('the next turn is that of the endpoint after the last one', () => {
  const queues = createQueues(3, 3);
  const first = queues.take();
  expect(first?.queue.webhook.id).toBe('w1');
  if (first) queues.freeSlot(first);
  expect([queues.take(), queues.take(), queues.take()].map((taken) => taken?.queue.webhook.id)).toEqual(['w2', 'w0', 'w1']);
});

test('a turn in which there is nothing to send changes nothing', () => {
  const queues = new EndpointQueues(() => true);
  expect(queues.take()).toBeUndefined();
  for (const id of ['w0', 'w1', 'w2']) queues.add('t', createWebhookRecord({ id }));
  expect(queues.take()).toBeUndefined();
  for (const queue of queues.all) fill(queue, 1);
  expect(idsOf(takeAll(queues))).toEqual(['w1-0', 'w2-0', 'w0-0']);
});

test('an endpoint that is paused, empty or at its limit is passed over', () => {
  const queues = createQueues(4, 1);
  const [paused, empty] = queues.all;
  if (paused) paused.webhook = { ...paused.webhook, status: 'paused' };
  if (empty) empty.ready = [];
  expect(paused?.isPaused).toBe(true);
  expect(idsOf(takeAll(queues))).toEqual(['w2-0', 'w3-0']);
});

test('a delivery that is taken is inFlight as sending', () => {
  const queues = createQueues(1, 2);
  const taken = queues.take();
  const states = ['w0-0', 'w0-1'].map((id) => taken?.queue.inFlight.getState(id));
  expect([states, taken?.queue.ready.length]).toEqual([['sending', 'queued'], 1]);
});

test('an endpoint that is removed and added again keeps the slots of its attempts in progress', () => {
  const queues = createQueues(1, 10);
  const inProgress = takeAll(queues);
  expect(inProgress).toHaveLength(ENDPOINT_DELIVERY_CONCURRENCY);
  const before = queues.get('w0');
  for (const queue of queues.listByTenant('t')) queues.remove(queue);
  expect([queues.get('w0'), queues.all, queues.getOrRemoved('w0')]).toEqual([undefined, [], before]);
  queues.add('t', createWebhookRecord({ id: 'w0', name: 'Renamed' }));
  expect(queues.get('w0')).toBe(before);
  expect(before?.webhook.name).toBe('Renamed');
  fill(before, 10);
  expect(takeAll(queues)).toEqual([]);
  for (const taken of inProgress) queues.freeSlot(taken);
  expect(takeAll(queues)).toHaveLength(ENDPOINT_DELIVERY_CONCURRENCY);
  expect(queues.sending).toBe(ENDPOINT_DELIVERY_CONCURRENCY);
});

test('a removed endpoint is forgotten when its last attempt has ended', () => {
  const queues = createQueues(2, 2);
  const [idle, sending] = queues.all;
  const inProgress = takeAll(queues).filter(({ queue }) => queue === sending);
  if (!idle || !sending || inProgress.length !== 2) throw new Error('there are two attempts of each');
  queues.remove(sending);
  queues.freeSlot(inProgress[0]!);
  expect(queues.getOrRemoved('w1')).toBe(sending);
  queues.freeSlot(inProgress[1]!);
  expect(queues.getOrRemoved('w1')).toBeUndefined();
  idle.sending = 0;
  queues.remove(idle);
  expect(queues.getOrRemoved('w0')).toBeUndefined();
  queues.add('t', createWebhookRecord({ id: 'w0' }));
  expect(queues.get('w0')).not.toBe(idle);
});

test('the queues of a tenant are listed without those of others', () => {
  const queues = createQueues(2, 0);
  queues.add('other', createWebhookRecord({ id: 'o' }));
  expect(queues.listByTenant('other').map(({ webhook }) => webhook.id)).toEqual(['o']);
  expect(queues.all).toHaveLength(3);
});

test('a queue is low with fewer than 64 deliveries in memory', () => {
  const queue = new EndpointQueue('t', createWebhookRecord({ id: 'w' }));
  fill(queue, 63);
  expect(queue.isLow).toBe(true);
  queue.enqueue(createReady('last'));
  expect(queue.isLow).toBe(false);
});

test('releaseReady releases the queued deliveries and lets the next poll start with the first open row', () => {
  const queues = createQueues(1, 3);
  const taken = queues.take();
  const queue = queues.get('w0');
  if (!queue || !taken) throw new Error('there is a delivery');
  queue.cursor = AT;
  queue.nextPollAt = 5;
  queue.releaseReady();
  expect(queue).toMatchObject({ ready: [], cursor: '', cursorResets: 1, nextPollAt: NOW });
  expect([queue.inFlight.size, queue.inFlight.getState(taken.ready.delivery.id)]).toEqual([1, 'sending']);
});

test('releaseChanged releases the changed delivery while it is queued, and no other', () => {
  const queues = createQueues(1, 4);
  const queue = queues.get('w0');
  const taken = queues.take();
  if (!queue || taken?.ready.delivery.id !== 'w0-0') throw new Error('the first delivery is taken');
  const left = () => queue.ready.map(({ delivery }) => delivery.id);
  for (const id of ['w0-0', 'unknown']) queue.releaseChanged(id);
  expect([left(), queue.cursorResets, queue.inFlight.size]).toEqual([['w0-1', 'w0-2', 'w0-3'], 0, 4]);
  queue.cursor = AT;
  queue.releaseChanged('w0-2');
  expect([left(), queue.cursor, queue.cursorResets, queue.inFlight.has('w0-2')]).toEqual([['w0-1', 'w0-3'], '', 1, false]);
});

test('a queue signs with the current secret, and with the previous one until the overlap ends', () => {
  const until = '2026-01-02T00:00:00.000Z';
  const queue = new EndpointQueue(
    't',
    createWebhookRecord({ id: 'w', secret: '01'.repeat(32), previous: { secret: '02'.repeat(32), until } }),
  );
  const sign = (key: Parameters<typeof createHmac>[1]) => createHmac('sha256', key).update('x').digest('hex');
  const expected = ['01', '02'].map((hex) => sign(Buffer.from(hex.repeat(32), 'hex')));
  expect(queue.getKeys(new Date(AT)).map(sign)).toEqual(expected);
  expect(queue.getKeys(new Date(until)).map(sign)).toEqual(expected.slice(0, 1));
  // A key object is created only once.
  expect(queue.getKeys(new Date(AT))[0]).toBe(queue.getKeys(new Date(until))[0]);
  queue.webhook = { ...queue.webhook, secret: '03'.repeat(32), previous: null };
  expect(queue.getKeys(new Date(AT)).map(sign)).toEqual([sign(Buffer.from('03'.repeat(32), 'hex'))]);
});

test('an endpoint keeps the keys of its active secrets, and none of those that were rotated away', () => {
  const at = new Date(AT);
  const queue = new EndpointQueue('t', createWebhookRecord({ id: 'w', secret: 'aa' }));
  const [first] = queue.getKeys(at);
  expect(queue.getKeys(at)).toEqual([first]);
  expect(queue.getKeys(at)[0]).toBe(first);
  queue.webhook = createWebhookRecord({ id: 'w', secret: 'bb' });
  expect(queue.getKeys(at)[0]).not.toBe(first);
  queue.webhook = createWebhookRecord({ id: 'w', secret: 'aa' });
  expect(queue.getKeys(at)[0]).not.toBe(first);
});
