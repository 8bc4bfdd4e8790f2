/** Two delivery engines over one store: who sends to an endpoint, and what becomes of attempts when its lease changes hands. */
import { expect, test } from 'vitest';
import { ENDPOINT_DELIVERY_CONCURRENCY } from '../../src/contract/limits.ts';
import type { AttemptOutcome } from '../../src/domain/events/delivery-state.ts';
import type { DeliveryRequest } from '../../src/delivery/attempt.ts';
import type { Sender } from '../../src/delivery/sender.ts';
import { type FakeOwner, createFakeLeases } from '../support/resources/fake-leases.ts';
import { type DeliveryStore, createEngine, openDeliveryStore } from '../support/resources/delivery-store.ts';

/** Attempts at a time. */
const SLOTS = ENDPOINT_DELIVERY_CONCURRENCY;

interface HeldRequest {
  readonly deliveryId: string;
  readonly attempt: string;
  respond(httpStatus: number): void;
}

/** A sender that keeps each request until the test responds. */
function createHeldSender() {
  const requests: HeldRequest[] = [];
  const open = new Set<(outcome: AttemptOutcome | undefined) => void>();
  const sender: Sender = {
    send: ({ headers, startedAt }: DeliveryRequest) =>
      new Promise((resolve) => {
        open.add(resolve);
        requests.push({
          deliveryId: headers['X-Service-Delivery-Id']!,
          attempt: headers['X-Service-Attempt']!,
          respond(httpStatus) {
            open.delete(resolve);
            const error = httpStatus === 200 ? null : 'http_500';
            resolve({ startedAt, milliseconds: 1, httpStatus, error, retryAfterSeconds: null });
          },
        });
      }),
    close() {
      for (const resolve of open) resolve(undefined);
      return Promise.resolve();
    },
  };
  return { sender, requests };
}

/** Two engines of two daemons, of which none has a lease yet. */
async function startTwo(s: DeliveryStore) {
  const leases = createFakeLeases();
  const start = async () => {
    const owner = leases.createOwner();
    const { sender, requests } = createHeldSender();
    const engine = createEngine(s, { leases: owner.leases, sender });
    await engine.start();
    return { owner, requests, engine };
  };
  return { give: leases.give, a: await start(), b: await start() };
}

const listIds = (requests: readonly HeldRequest[]) => requests.map(({ deliveryId }) => deliveryId);
const getHealth = (s: DeliveryStore, id: string) => s.store.read(s.tenantId, (tx) => tx.webhookHealth.get(id));
const isNamedBy = (owner: FakeOwner, webhookId: string) => owner.names?.includes(webhookId);

test('only the engine with the lease of an endpoint sends its deliveries', async () => {
  const s = await openDeliveryStore();
  const [one, two] = [await s.addEndpoint(), await s.addEndpoint()];
  const { a, b, give } = await startTwo(s);
  const [first] = await s.addDeliveries(one.id, 1);
  const [second] = await s.addDeliveries(two.id, 1);
  give(one.id, a.owner);
  give(two.id, b.owner);
  await expect.poll(() => [listIds(a.requests), listIds(b.requests)]).toEqual([[first!.id], [second!.id]]);
  for (const { requests } of [a, b]) requests[0]!.respond(200);
  await s.waitFor((rows) => rows.every(({ status }) => status === 'delivered'));
  expect([a.requests, b.requests].map(({ length }) => length)).toEqual([1, 1]);
});

test('both engines name the leases of all endpoints, also of new ones, and the leases are given back after the last outcome', async () => {
  const s = await openDeliveryStore();
  const one = await s.addEndpoint();
  const { a, b, give } = await startTwo(s);
  const two = await s.addEndpoint();
  await expect.poll(() => [a, b].map(({ owner }) => isNamedBy(owner, two.id))).toEqual([true, true]);
  expect([a, b].map(({ owner }) => isNamedBy(owner, one.id))).toEqual([true, true]);
  await s.addDeliveries(one.id, 1);
  give(one.id, a.owner);
  await expect.poll(() => a.requests.length).toBe(1);
  const drained = a.engine.drain(60_000);
  expect(isNamedBy(a.owner, one.id)).toBe(true);
  a.requests[0]!.respond(200);
  await drained;
  expect((await s.listDeliveries()).map(({ status }) => status)).toEqual(['delivered']);
  expect(a.owner.names).toBeUndefined();
});

test('an engine that loses a lease starts no more attempts, not even of deliveries in memory; the next owner sends them', async () => {
  const s = await openDeliveryStore();
  const webhook = await s.addEndpoint();
  const { a, b, give } = await startTwo(s);
  const rows = await s.addDeliveries(webhook.id, SLOTS + 2);
  give(webhook.id, a.owner);
  await expect.poll(() => a.requests.length).toBe(SLOTS);
  give(webhook.id);
  for (const each of a.requests.slice()) each.respond(200);
  await s.waitFor((all) => all.filter(({ status }) => status === 'delivered').length === SLOTS);
  give(webhook.id, b.owner);
  await expect.poll(() => b.requests.length).toBe(2);
  for (const each of b.requests) each.respond(200);
  await s.waitFor((all) => all.every(({ status }) => status === 'delivered'));
  expect([...listIds(a.requests), ...listIds(b.requests)]).toEqual(rows.map(({ id }) => id));
});

test('the late outcome of a lost lease changes nothing once the next owner has made the attempt again', async () => {
  const s = await openDeliveryStore();
  const webhook = await s.addEndpoint();
  const { a, b, give } = await startTwo(s);
  await s.addDeliveries(webhook.id, 1);
  give(webhook.id, a.owner);
  await expect.poll(() => a.requests.length).toBe(1);
  give(webhook.id, b.owner);
  await expect.poll(() => b.requests.length).toBe(1);
  expect([a.requests[0]!.attempt, b.requests[0]!.attempt]).toEqual(['1', '1']);
  b.requests[0]!.respond(200);
  const [delivered] = await s.waitFor(([row]) => row?.status === 'delivered');
  a.requests[0]!.respond(500);
  await a.engine.drain(60_000);
  expect(await s.listDeliveries()).toEqual([delivered]);
  expect(await getHealth(s, webhook.id)).toBeUndefined();
});

test('an outcome is stored although its lease was lost, if the next owner has not made the attempt, and counts once', async () => {
  const s = await openDeliveryStore();
  const webhook = await s.addEndpoint();
  const { a, b, give } = await startTwo(s);
  await s.addDeliveries(webhook.id, 1);
  give(webhook.id, a.owner);
  await expect.poll(() => a.requests.length).toBe(1);
  give(webhook.id, b.owner);
  await expect.poll(() => b.requests.length).toBe(1);
  a.requests[0]!.respond(500);
  await s.waitFor(([row]) => row?.attempts === 1);
  b.requests[0]!.respond(500);
  await b.engine.drain(60_000);
  expect(await s.listDeliveries()).toMatchObject([{ status: 'retrying', attempts: 1, history: [{ httpStatus: 500 }] }]);
  expect(await getHealth(s, webhook.id)).toMatchObject({ failedAttempts: 1 });
});

test('an engine that obtains a lease again reads the deliveries again, and sends none that another engine has sent', async () => {
  const s = await openDeliveryStore();
  const webhook = await s.addEndpoint();
  const { a, b, give } = await startTwo(s);
  await s.addDeliveries(webhook.id, SLOTS + 2);
  give(webhook.id, a.owner);
  await expect.poll(() => a.requests.length).toBe(SLOTS);
  give(webhook.id, b.owner);
  await expect.poll(() => b.requests.length).toBe(SLOTS);
  for (const each of b.requests.slice()) each.respond(200);
  await expect.poll(() => b.requests.length).toBe(SLOTS + 2);
  for (const each of b.requests.slice(SLOTS)) each.respond(200);
  await s.waitFor((rows) => rows.every(({ status }) => status === 'delivered'));
  give(webhook.id, a.owner);
  for (const each of a.requests.slice()) each.respond(200);
  await a.engine.drain(60_000);
  // Two more were in its memory.
  expect(a.requests).toHaveLength(SLOTS);
  expect((await s.listDeliveries()).every(({ attempts }) => attempts === 1)).toBe(true);
});

test('an endpoint is busy from the start of an attempt until its outcome is stored', async () => {
  const s = await openDeliveryStore();
  const webhook = await s.addEndpoint();
  const { a, give } = await startTwo(s);
  give(webhook.id, a.owner);
  expect(a.owner.holder.isBusy(webhook.id)).toBe(false);
  await s.addDeliveries(webhook.id, 1);
  await expect.poll(() => a.requests.length).toBe(1);
  expect(a.owner.holder.isBusy(webhook.id)).toBe(true);
  a.requests[0]!.respond(200);
  expect(a.owner.holder.isBusy(webhook.id)).toBe(true);
  await s.waitFor(([row]) => row?.status === 'delivered');
  await expect.poll(() => a.owner.holder.isBusy(webhook.id)).toBe(false);
});
