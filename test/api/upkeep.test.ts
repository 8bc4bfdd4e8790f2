/** What the service forgets by itself: stored replies after a day, events after a month or beyond their number, rate windows after a minute. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { eventSamples } from '../../src/contract/event-samples.ts';
import { EVENT_LOG_DAYS, EVENT_LOG_MAX_ROWS, IDEMPOTENCY_VALIDITY_H, RATE_WINDOW_S } from '../../src/contract/limits.ts';
import { realClock } from '../../src/daemon/clock.ts';
import { openService } from '../../src/daemon/service.ts';
import { note } from '../../src/domain/changes.ts';
import type { Context } from '../../src/domain/context.ts';
import { purgeEvents } from '../../src/domain/event-log.ts';
import { purgeReplies } from '../../src/domain/idempotency.ts';
import { type TestService, codeOf, startService } from '../support/service.ts';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

const repliesOf = (s: TestService): Promise<number> => s.service.store.read(s.tenant.id, (tx) => tx.idempotency.count());

/** Resolves when the background work that a moved clock or a start has begun leaves `count` to be `wanted`; looks again after every commit. */
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

/** Notes so many events, one transaction each hundred. */
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
        const event = { name: 'contact.updated', resourceId: id, ...eventSamples['contact.updated'] } as const;
        await note(tx, context, { action: 'contact.updated', resourceType: 'contact', resourceId: id, event });
      }
    });
    done += batch;
  }
}

test('an idempotency key is known for 24 hours, to the second, and is forgotten then', async () => {
  await using s = await startService();
  const send = () => s.post('/v1/items', { name: 'Bolt' }, { idempotencyKey: 'once' });
  const first = await send();
  s.clock.advance(IDEMPOTENCY_VALIDITY_H * HOUR_S - 60);
  expect((await send()).text).toBe(first.text);
  expect(codeOf(await s.post('/v1/items', { name: 'Nut' }, { idempotencyKey: 'once' }))).toBe('CONFLICT');
  expect(await repliesOf(s)).toBe(1);
  s.clock.advance(60);
  // The reply itself goes, not only its validity.
  await until(s, () => repliesOf(s), 0);
  const other = await s.post('/v1/items', { name: 'Nut' }, { idempotencyKey: 'once' });
  expect([other.status, other.headers['idempotent-replayed'], other.body.data.name]).toEqual([201, undefined, 'Nut']);
  expect((await s.get('/v1/items')).body.pagination.total).toBe(2);
});

test('a reply counts from the moment it was made, so that repeating it does not prolong it', async () => {
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

test('a reply that has expired is not replayed, also while it is still there', async () => {
  await using s = await startService();
  const send = () => s.post('/v1/items', { name: 'Bolt' }, { idempotencyKey: 'stale' });
  await send();
  // As between two rounds of the hourly purge.
  await s.service.store.transact(s.tenant.id, async (tx) => {
    for (const row of (await tx.idempotency.after({ limit: 10 })).rows)
      await tx.idempotency.put({ ...row, expiresAt: s.clock.now().toISOString() });
  });
  const again = await send();
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined]);
  expect([await repliesOf(s), (await send()).headers['idempotent-replayed']]).toEqual([1, 'true']);
});

test('expired replies are removed batch by batch, and only those', async () => {
  await using s = await startService();
  await Promise.all(Array.from({ length: 30 }, () => s.post('/v1/contacts', { name: 'Old' })));
  const { store } = s.service;
  const old = s.clock.now();
  const late = new Date(old.getTime() + IDEMPOTENCY_VALIDITY_H * HOUR_S * 1000);
  const purge = (now: Date) => store.transact(s.tenant.id, (tx) => purgeReplies(tx, now, 20));
  expect(await purge(old)).toBe(0);
  expect([await purge(late), await purge(late), await purge(late)]).toEqual([20, 10, 0]);
  expect(await repliesOf(s)).toBe(0);
});

test('events older than 30 days go, the newest stays, and positions go on counting', async () => {
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
  // A consumer that had read up to 4 finds everything behind it.
  expect((await s.events(4)).map(({ position }) => position)).toEqual([5, 6]);
  // What is forgotten is the change log, not the audit log.
  const audit = await s.get('/v1/audit/events?action_prefix=contact.created');
  expect(audit.body.data).toHaveLength(6);
});

test('of the events the newest 10,000 are kept', async () => {
  await using s = await startService();
  const extra = 25;
  await happen(s, EVENT_LOG_MAX_ROWS + extra);
  const { store } = s.service;
  const count = () => store.read(s.tenant.id, (tx) => tx.events.count());
  expect(await count()).toBe(EVENT_LOG_MAX_ROWS + extra);
  const purge = async () => (await store.transact(s.tenant.id, (tx) => purgeEvents(tx, s.clock.now(), 10))).removed;
  expect([await purge(), await purge(), await purge(), await purge()]).toEqual([10, 10, 5, 0]);
  const [oldest] = await s.events();
  expect([await count(), oldest?.position]).toEqual([EVENT_LOG_MAX_ROWS, extra + 1]);
  await happen(s, 3);
  // Every start looks, and so does the daemon once an hour.
  await s.restart();
  await until(s, () => s.service.store.read(s.tenant.id, (tx) => tx.events.count()), EVENT_LOG_MAX_ROWS);
  expect((await s.events(EVENT_LOG_MAX_ROWS + extra)).map(({ position }) => position)).toEqual(
    [1, 2, 3].map((each) => EVENT_LOG_MAX_ROWS + extra + each),
  );
});

test('events of one tenant do not push out those of another', async () => {
  await using s = await startService();
  const other = await s.addTenant('quiet');
  const key = await s.addKey({ tenantId: other.id });
  await s.post('/v1/contacts', { name: 'Quiet' }, { key });
  await happen(s, EVENT_LOG_MAX_ROWS + 1);
  await s.restart();
  await until(s, async () => (await s.events()).length, EVENT_LOG_MAX_ROWS);
  expect(await s.events(0, other.id)).toHaveLength(1);
});

test('a rate window follows the clock, forwards and back', async () => {
  await using s = await startService({ tiers: { one: 1 } });
  const key = await s.addKey({ tier: 'one' });
  const status = async () => (await s.get('/v1', { key })).status;
  expect([await status(), await status()]).toEqual([200, 429]);
  s.clock.advance(RATE_WINDOW_S - 10);
  const refused = await s.get('/v1', { key });
  expect([refused.status, Number(refused.headers['retry-after']) <= 10]).toEqual([429, true]);
  s.clock.advance(10);
  expect([await status(), await status()]).toEqual([200, 429]);
  // A clock that was set back begins a window of its own: nobody is locked out for as long as it was ahead.
  s.clock.set(new Date('2020-01-01T00:00:00Z'));
  expect([await status(), await status()]).toEqual([200, 429]);
  expect(Number((await s.get('/v1', { key })).headers['retry-after'])).toBeLessThanOrEqual(RATE_WINDOW_S);
});

test('a stop in the middle of what the service forgets by itself is no error', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sr-service-'));
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  try {
    for (let start = 0; start < 5; start += 1) {
      const service = await openService({ directory, clock: realClock(), log, version: '0.0.0-test' });
      for (let each = 0; each < start; each += 1) await service.store.read('', async () => undefined);
      await service.close();
    }
    expect(lines).toEqual([]);
  } finally {
    await rm(directory, { recursive: true });
  }
});
