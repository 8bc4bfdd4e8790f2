/** A system clock that is set back: audit readers miss nothing, and times promised ahead are corrected. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { AUTHORIZATION_CODE_KEY_DAYS, IDEMPOTENCY_VALIDITY_H, ROTATION_OVERLAP_H } from '../../../src/contract/limits.ts';
import { createRealClock } from '../../../src/daemon/service/clocks/clock.ts';
import { type RunningService, openService } from '../../../src/daemon/service/open-service.ts';
import { waitForDueDeliveries } from '../../../src/daemon/embedded/test-inspection.ts';
import { recordChange } from '../../../src/domain/events/changes.ts';
import { clampGrantExpiry } from '../../../src/domain/integrity/clock-skew.ts';
import { createKey, rotateKey } from '../../../src/domain/tenancy/api-keys.ts';
import { createTenant } from '../../../src/domain/tenancy/tenants.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { type TestService, contextFor, startService } from '../../support/service/service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const YEAR = 365 * 24 * HOUR;

/** Notes one change in the first tenant, which the first call makes; returns its time. */
async function happen({ store, clock, newId }: RunningService): Promise<string> {
  const [known] = (await store.read('', (tx) => tx.tenants.listAfter({ limit: 1 }))).rows;
  const id = known?.id ?? newId();
  return store.transact(id, async (tx) => {
    const now = clock.now();
    const tenant = known ?? (await createTenant(tx, id, now, newId, { name: 'One', slug: 'one', plan: 'enterprise' }));
    const context = { tenant, actor: { type: 'system', id: 'test' }, requestId: 'test', ipAddress: null, now, newId } as const;
    await recordChange(tx, context, { action: 'test.happened', resourceType: 'test', resourceId: id });
    return now.toISOString();
  });
}

/** How many stored replies last longer than one that is stored now, when what a moved clock has to do has been done. */
async function lastTooLong(s: TestService): Promise<number> {
  const last = () => new Date(s.clock.now().getTime() + IDEMPOTENCY_VALIDITY_H * HOUR).toISOString();
  const far = () => s.service.store.read(s.tenant.id, (tx) => tx.idempotency.count({ where: [{ field: 'expiresAt', after: last() }] }));
  // It is done between other work, which every transaction waits for.
  for (let turn = 0; turn < 10_000 && (await far()) > 0; turn += 1) await s.service.store.transact('', async () => undefined);
  return far();
}

test('after a small step back over a restart, new audit rows follow older ones; a larger step is reported', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stockroom-test-'));
  const log = pino({ level: 'silent' });
  let system = Date.parse('2026-06-01T12:00:00Z');
  const started = async <T>(use: (service: RunningService) => Promise<T>): Promise<T> => {
    const clock = createRealClock({ system: () => system, monotonic: () => 0 });
    const service = await openService({ directory, clock, log, version: '0.0.0-test' });
    try {
      return await use(service);
    } finally {
      await service.close();
    }
  };
  try {
    const first = await started(happen);
    system -= 10 * MINUTE;
    const second = await started(async (service) => {
      expect(service.notices).toEqual([]);
      return happen(service);
    });
    expect(second > first).toBe(true);
    system -= YEAR;
    await started(async (service) => {
      expect(service.notices).toEqual([expect.stringContaining(second)]);
      expect(await happen(service)).toBe(new Date(system).toISOString());
    });
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('a reply stored while the clock was years ahead expires after 24 hours', async () => {
  await using s = await startService();
  s.clock.advance((10 * YEAR) / 1_000);
  const send = () => s.post('/v1/items', { name: 'Bolt' }, { idempotencyKey: 'ahead' });
  const first = await send();
  s.clock.reset();
  expect(await lastTooLong(s)).toBe(0);
  expect((await send()).text).toBe(first.text);
  s.clock.advance((IDEMPOTENCY_VALIDITY_H * HOUR) / 1_000 + 60);
  const other = await send();
  expect([other.status, other.headers['idempotent-replayed']]).toEqual([201, undefined]);
});

test('a reply in a snapshot saved while the clock was ahead expires after 24 hours', async () => {
  await using s = await startService();
  s.clock.advance((10 * YEAR) / 1_000);
  await s.post('/v1/items', { name: 'Bolt' }, { idempotencyKey: 'ahead' });
  await s.service.snapshots.save('ahead', { replace: false });
  s.clock.reset();
  await s.service.snapshots.load('ahead');
  expect(await lastTooLong(s)).toBe(0);
});

test('a retry scheduled while the clock was years ahead is due when the clock is corrected', async () => {
  await using receiver = await startReceiver(500);
  await using s = await startService({ deliver: true });
  s.clock.advance((10 * YEAR) / 1_000);
  await s.post('/v1/webhooks', { name: 'All', targetUrl: receiver.url, subscribedEvents: ['contact.created'] });
  await s.post('/v1/contacts', { name: 'Ana' });
  await waitForDueDeliveries(s.service);
  s.clock.reset();
  const [first, second] = await receiver.count(2);
  expect([first?.headers['x-service-attempt'], second?.headers['x-service-attempt']]).toEqual(['1', '2']);
});

test('an application key issued while the clock was ahead expires like others', async () => {
  await using s = await startService();
  const { store, newId } = s.service;
  const now = s.clock.now();
  const key = (ahead: number, applicationId?: string) =>
    store.transact(s.tenant.id, async (tx) => {
      const expiresAt = new Date(now.getTime() + ahead).toISOString();
      const draft = { tenantId: s.tenant.id, name: 'k', scopes: [], environment: null, rateLimitTier: 'standard', expiresAt } as const;
      return (await createKey(tx, now, newId, { ...draft, ...(applicationId && { applicationId, installationId: newId() }) })).key;
    });
  const keys = [await key(10 * YEAR, newId()), await key(HOUR, newId()), await key(10 * YEAR)];
  await store.transact('', (tx) => clampGrantExpiry(tx, now, 10));
  const after = await store.read('', (tx) => tx.apiKeys.getMany(keys.map(({ id }) => id)));
  const longest = new Date(now.getTime() + AUTHORIZATION_CODE_KEY_DAYS * 24 * HOUR).toISOString();
  expect(after.map((each) => each?.expiresAt)).toEqual([longest, keys[1]?.expiresAt, keys[2]?.expiresAt]);
});

test('a key that was rotated while the clock was ahead ends after the overlap', async () => {
  await using s = await startService();
  const { store, newId } = s.service;
  const now = s.clock.now();
  const draft = { tenantId: s.tenant.id, name: 'k', scopes: [], environment: null, rateLimitTier: 'standard' } as const;
  const ids = await store.transact(s.tenant.id, async (tx) => {
    const first = (await createKey(tx, now, newId, draft)).key;
    const second = (await rotateKey(tx, { ...contextFor(s), now: new Date(now.getTime() + 10 * YEAR) }, first.id)).key;
    return [first.id, second.id];
  });
  await store.transact('', (tx) => clampGrantExpiry(tx, now, 10));
  const after = await store.read('', (tx) => tx.apiKeys.getMany(ids));
  expect(after.map((each) => each?.expiresAt)).toEqual([new Date(now.getTime() + ROTATION_OVERLAP_H * HOUR).toISOString(), null]);
});
