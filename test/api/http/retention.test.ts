/** What expires: stored replies after a day, events after a month or above their maximum number, rate windows after a minute. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { eventSamples } from '../../../src/contract/event-samples.ts';
import { EVENT_LOG_DAYS, IDEMPOTENCY_VALIDITY_H, RATE_WINDOW_S } from '../../../src/contract/limits.ts';
import { createRealClock } from '../../../src/daemon/service/clocks/clock.ts';
import { openService } from '../../../src/daemon/service/open-service.ts';
import { recordChange } from '../../../src/domain/events/changes.ts';
import type { Context } from '../../../src/domain/kernel/context.ts';
import { purgeEvents } from '../../../src/domain/events/event-log.ts';
import { purgeReplies } from '../../../src/domain/idempotency/stored-replies.ts';
import { type TestService, getCode, startService } from '../../support/service/service.ts';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
/** Fewer events than are kept by default, so that tests can exceed it. */
const RETENTION = { maxRows: 200, days: EVENT_LOG_DAYS };

const getReplies = (s: TestService): Promise<number> => s.service.store.read(s.tenant.id, (tx) => tx.idempotency.count());

/** Waits until background work after a clock change or start makes `count` return `wanted`. Checks again after every commit. */
async function until(s: TestService, count: () => Promise<number>, wanted: number): Promise<void> {
  let changed = Promise.withResolvers<void>();
  const stop = s.service.store.onCommit(() => changed.resolve());
  try {
    while ((await count()) !== wanted) {
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    stop();
  }
}

/** Records this number of events, a hundred per transaction. */
async function happen(s: TestService, count: number): Promise<void> {
  const { service, tenant } = s;
  for (let done = 0; done < count;) {
    const batch = Math.min(100, count - done);
    await service.store.transact(tenant.id, async (tx) => {
      for (let each = 0; each < batch; each += 1) {
        const id = service.newId();
        const context: Context = {
          tenant,
          actor: { type: 'system', id: 'test' },
          requestId: id,
          ipAddress: null,
          now: s.clock.now(),
          newId: service.newId,
        };
        const updatedAt = s.clock.now().toISOString();
        const event = { name: 'contact.updated', resourceId: id, updatedAt, ...eventSamples['contact.updated'] } as const;
        await recordChange(tx, context, { action: 'contact.updated', resourceType: 'contact', resourceId: id, event });
      }
    });
    done += batch;
  }
}

test('an idempotency key expires after exactly 24 hours', async () => {
  await using s = await startService();
  const send = () => s.post('/v1/items', { name: 'Bolt' }, { idempotencyKey: 'once' });
  const first = await send();
  s.clock.advance(IDEMPOTENCY_VALIDITY_H * HOUR_S - 60);
  expect((await send()).text).toBe(first.text);
  expect(getCode(await s.post('/v1/items', { name: 'Nut' }, { idempotencyKey: 'once' }))).toBe('CONFLICT');
  expect(await getReplies(s)).toBe(1);
  s.clock.advance(60);
  // The reply itself is removed, too.
  await until(s, () => getReplies(s), 0);
  const other = await s.post('/v1/items', { name: 'Nut' }, { idempotencyKey: 'once' });
  expect([other.status, other.headers['idempotent-replayed'], other.body.data.name]).toEqual([201, undefined, 'Nut']);
  expect((await s.get('/v1/items')).body.pagination.total).toBe(2);
});

test('replaying a reply does not extend its lifetime', async () => {
  await using s = await startService();
  const send = () => s.post('/v1/items', { name: 'Bolt' }, { idempotencyKey: 'again' });
  await send();
  for (let hour = 1; hour < IDEMPOTENCY_VALIDITY_H; hour += 1) {
    s.clock.advance(HOUR_S);
    expect((await send()).headers['idempotent-replayed']).toBe('true');
  }
  s.clock.advance(HOUR_S);
  expect((await send()).headers['idempotent-replayed']).toBeUndefined();
});

test('an expired reply is not replayed before it is removed', async () => {
  await using s = await startService();
  const send = () => s.post('/v1/items', { name: 'Bolt' }, { idempotencyKey: 'stale' });
  await send();
  // As between two hourly purges.
  await s.service.store.transact(s.tenant.id, async (tx) => {
    for (const row of (await tx.idempotency.listAfter({ limit: 10 })).rows)
      await tx.idempotency.put({ ...row, expiresAt: s.clock.now().toISOString() });
  });
  const again = await send();
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined]);
  expect([await getReplies(s), (await send()).headers['idempotent-replayed']]).toEqual([1, 'true']);
});

test('expired replies are removed in batches, and no others', async () => {
  await using s = await startService();
  await Promise.all(Array.from({ length: 30 }, () => s.post('/v1/contacts', { name: 'Old' })));
  const { store } = s.service;
  const old = s.clock.now();
  const late = new Date(old.getTime() + IDEMPOTENCY_VALIDITY_H * HOUR_S * 1000);
  const purge = (now: Date) => store.transact(s.tenant.id, (tx) => purgeReplies(tx, now, 20));
  expect(await purge(old)).toBe(0);
  expect([await purge(late), await purge(late), await purge(late)]).toEqual([20, 10, 0]);
  expect(await getReplies(s)).toBe(0);
});

test('events older than 30 days are removed except the newest, and positions continue', async () => {
  await using s = await startService();
  for (const name of ['One', 'Two', 'Three']) await s.post('/v1/contacts', { name });
  s.clock.advance(EVENT_LOG_DAYS * DAY_S - 60);
  await s.post('/v1/contacts', { name: 'Four' });
  expect((await s.events()).map(({ position }) => position)).toEqual([1, 2, 3, 4]);
  s.clock.advance(120);
  await until(s, async () => (await s.events()).length, 1);
  expect((await s.events()).map(({ position }) => position)).toEqual([4]);
  s.clock.advance(2 * EVENT_LOG_DAYS * DAY_S);
  await s.post('/v1/contacts', { name: 'Five' });
  expect((await s.events()).at(-1)?.position).toBe(5);
  await s.restart();
  await s.post('/v1/contacts', { name: 'Six' });
  expect((await s.events()).at(-1)?.position).toBe(6);
  // A consumer that has read up to 4 finds all later events.
  expect((await s.events(4)).map(({ position }) => position)).toEqual([5, 6]);
  // Only the change log expires, not the audit log.
  const audit = await s.get('/v1/audit/events?action_prefix=contact.created');
  expect(audit.body.data).toHaveLength(6);
});

test('the newest events are kept, as many as are configured', async () => {
  await using s = await startService({ retention: RETENTION });
  const extra = 25;
  await happen(s, RETENTION.maxRows + extra);
  const { store } = s.service;
  const count = () => store.read(s.tenant.id, (tx) => tx.events.count());
  expect(await count()).toBe(RETENTION.maxRows + extra);
  const purge = async () =>
    (await store.transact(s.tenant.id, (tx) => purgeEvents(tx, s.clock.now(), { limit: 10, retention: RETENTION }))).removed;
  expect([await purge(), await purge(), await purge(), await purge()]).toEqual([10, 10, 5, 0]);
  const [oldest] = await s.events();
  expect([await count(), oldest?.position]).toEqual([RETENTION.maxRows, extra + 1]);
  await happen(s, 3);
  // A start purges, and the daemon does so once an hour.
  await s.restart();
  await until(s, () => s.service.store.read(s.tenant.id, (tx) => tx.events.count()), RETENTION.maxRows);
  expect((await s.events(RETENTION.maxRows + extra)).map(({ position }) => position)).toEqual(
    [1, 2, 3].map((each) => RETENTION.maxRows + extra + each),
  );
});

test('events of one tenant do not evict those of another', async () => {
  await using s = await startService({ retention: RETENTION });
  const other = await s.addTenant('quiet');
  const key = await s.addKey({ tenantId: other.id });
  await s.post('/v1/contacts', { name: 'Quiet' }, { key });
  await happen(s, RETENTION.maxRows + 1);
  await s.restart();
  await until(s, async () => (await s.events()).length, RETENTION.maxRows);
  expect(await s.events(0, other.id)).toHaveLength(1);
});

test('a rate window follows the clock in both directions', async () => {
  await using s = await startService({ tiers: { one: 1 } });
  const key = await s.addKey({ tier: 'one' });
  const status = async () => (await s.get('/v1', { key })).status;
  expect([await status(), await status()]).toEqual([200, 429]);
  s.clock.advance(RATE_WINDOW_S - 10);
  const refused = await s.get('/v1', { key });
  expect([refused.status, Number(refused.headers['retry-after']) <= 10]).toEqual([429, true]);
  s.clock.advance(10);
  expect([await status(), await status()]).toEqual([200, 429]);
  // Setting the clock back starts a new window, so that no key stays blocked until the clock has caught up.
  s.clock.set(new Date('2020-01-01T00:00:00Z'));
  expect([await status(), await status()]).toEqual([200, 429]);
  expect(Number((await s.get('/v1', { key })).headers['retry-after'])).toBeLessThanOrEqual(RATE_WINDOW_S);
});

test('a shutdown during a purge is no error', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sr-service-'));
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  try {
    for (let start = 0; start < 5; start += 1) {
      const service = await openService({ directory, clock: createRealClock(), log, version: '0.0.0-test' });
      for (let each = 0; each < start; each += 1) await service.store.read('', async () => undefined);
      await service.close();
    }
    expect(lines).toEqual([]);
  } finally {
    await rm(directory, { recursive: true });
  }
});
