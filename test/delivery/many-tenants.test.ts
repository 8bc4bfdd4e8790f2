/** What a start does for all tenants: it must not take longer with each of thousands that need nothing. */
import { expect, test } from 'vitest';
import { EVENT_LOG_DAYS } from '../../src/contract/limits.ts';
import { resumeClock } from '../../src/daemon/service/clocks/resume-clock.ts';
import { DEFAULT_EVENT_RETENTION } from '../../src/domain/events/event-log.ts';
import { startRetention } from '../../src/daemon/service/retention.ts';
import { recordChange } from '../../src/domain/events/changes.ts';
import { eventSamples } from '../../src/contract/event-samples.ts';
import { getReplyExpiry } from '../../src/domain/idempotency/stored-replies.ts';
import { OWNS_ALL, createEngine, type DeliveryStore, openDeliveryStore } from '../support/resources/delivery-store.ts';

/** A tenant with an audit row, an event, which is the newest and so is kept however old it is, and a stored reply. */
async function addIdleTenant({ store, clock, newId, addTenant }: DeliveryStore): Promise<void> {
  const tenant = await addTenant('enterprise');
  await store.transact(tenant.id, async (tx) => {
    const id = newId();
    const now = new Date(clock.now().getTime() - 2 * EVENT_LOG_DAYS * 86_400_000);
    const context = { tenant, actor: { type: 'system', id: 'test' }, requestId: id, ipAddress: null, now, newId } as const;
    const updatedAt = now.toISOString();
    const event = { name: 'contact.updated', resourceId: id, updatedAt, ...eventSamples['contact.updated'] } as const;
    await recordChange(tx, context, { action: 'contact.updated', resourceType: 'contact', resourceId: id, event });
    const reply = { id, fingerprint: '', status: 201, location: null, body: '', createdAt: now.toISOString() };
    await tx.idempotency.put({ ...reply, expiresAt: getReplyExpiry(clock.now()) });
  });
}

/** The transactions and reads of a start, by method. */
async function countCalls(idleTenants: number): Promise<Record<string, number>> {
  const s = await openDeliveryStore();
  for (let each = 0; each < idleTenants; each += 1) await addIdleTenant(s);
  const calls = { transact: 0, read: 0, readLatest: 0, readFirstRows: 0 };
  for (const method of Object.keys(calls) as (keyof typeof calls)[]) {
    const original = s.store[method].bind(s.store) as (...args: unknown[]) => Promise<unknown>;
    Object.assign(s.store, {
      [method]: (...args: unknown[]) => {
        calls[method] += 1;
        return original(...args);
      },
    });
  }
  await resumeClock(s.store, s.clock);
  const purged = Promise.withResolvers<unknown>();
  await startRetention({
    store: s.store,
    clock: s.clock,
    events: DEFAULT_EVENT_RETENTION,
    leases: OWNS_ALL,
    runInBackground: (work) => void work().then(purged.resolve, purged.reject),
  }).stop();
  await purged.promise;
  await createEngine(s).start();
  return calls;
}

test('a start takes as many transactions and reads with many tenants as with few', async () => {
  expect(await countCalls(40)).toEqual(await countCalls(2));
});
