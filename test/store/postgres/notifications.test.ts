/** Notifications are hints that anyone who may connect can send and hear: they are not trusted, and say nothing to others. */
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Commit } from '../../../src/domain/kernel/ports.ts';
import { createHintCodec } from '../../../src/store/postgres/notifications/hints.ts';
import { startDatabaseProxy } from '../../support/postgres/proxy.ts';
import { runSql } from '../../support/postgres/sql.ts';
import { createThing } from '../fixtures.ts';
import { putRows } from '../transactions.ts';
import { openStoreAt, takeUrl } from './stores.ts';

async function readSecret(url: string): Promise<string> {
  const { rows } = await runSql(url, `SELECT value FROM stockroom.secrets WHERE name = 'notifications'`);
  return (rows as { value: string }[])[0]!.value;
}

async function listen(url: string, ...channels: string[]): Promise<{ payloads: string[] }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const payloads: string[] = [];
  client.on('notification', ({ payload = '' }) => payloads.push(payload));
  for (const channel of channels) await client.query(`LISTEN ${channel}`);
  return { payloads };
}

const BAD_PAYLOADS = [
  '',
  'x',
  'null',
  '{"w":"x","t":"a","s":1,"c":5}',
  '[1]',
  `${'A'.repeat(22)}.${'B'.repeat(22)}.${'C'.repeat(22)}`,
  'ü'.repeat(2_000),
];

test('notifications that no daemon has sent are ignored and counted, and commits are reported nevertheless', async () => {
  const url = await takeUrl();
  const notices: unknown[] = [];
  const [one, two] = [
    await openStoreAt(url, { pollMs: 60_000 }),
    await openStoreAt(url, { pollMs: 60_000, onNotice: (notice) => notices.push(notice) }),
  ];
  const commits: Commit[] = [];
  two.onCommit((commit) => commits.push(commit));
  const { channel } = createHintCodec(await readSecret(url), 'another');
  for (const payload of BAD_PAYLOADS)
    for (const name of [channel, 'stockroom_commits']) await runSql(url, `SELECT pg_notify('${name}', '${payload}')`);
  await expect.poll(() => two.ignoredNotifications).toBe(BAD_PAYLOADS.length);
  expect(notices).toHaveLength(1);
  await putRows(one, [createThing('1')]);
  await vi.waitFor(() => expect(commits).toMatchObject([{ tenant: 'a', sequence: 1, changes: [{ table: 'things', id: '1' }] }]));
});

test('notifications name neither tenants nor rows, and come on a channel that only daemons know', async () => {
  const url = await takeUrl();
  const store = await openStoreAt(url);
  const { channel } = createHintCodec(await readSecret(url), 'another');
  expect(channel).toMatch(/^stockroom_[\da-f]{32}$/u);
  const heard = await listen(url, channel);
  const guessed = await listen(url, 'stockroom_commits', 'stockroom');
  await putRows(store, [createThing('row-1')], 'tenant-1');
  await vi.waitFor(() => expect(heard.payloads).toHaveLength(1));
  expect(heard.payloads[0]).toMatch(/^[\w-]{22}\.[\w-]{22}\.[\w-]{22}$/u);
  expect(guessed.payloads).toEqual([]);
});

test('a hint that is sent again changes nothing', async () => {
  const url = await takeUrl();
  const [one, two] = [await openStoreAt(url, { pollMs: 60_000 }), await openStoreAt(url, { pollMs: 60_000 })];
  const commits: number[] = [];
  two.onCommit(({ sequence }) => commits.push(sequence));
  const { channel } = createHintCodec(await readSecret(url), 'another');
  const { payloads } = await listen(url, channel);
  await putRows(one, [createThing('1')]);
  await vi.waitFor(() => expect(payloads).toHaveLength(1));
  for (let times = 0; times < 5; times += 1) await runSql(url, `SELECT pg_notify('${channel}', '${payloads[0]!}')`);
  await putRows(one, [createThing('2')]);
  await vi.waitFor(() => expect(commits).toEqual([1, 2]));
  expect(two.ignoredNotifications).toBe(0);
});

test('a listener whose packets are dropped connects again', async () => {
  const url = await takeUrl();
  const proxy = await startDatabaseProxy(url);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const notices: string[] = [];
  proxy.fault = { at: 'listen', kind: 'swallow' };
  const onNotice = (notice: unknown) => notices.push((notice as { message: string }).message);
  const two = await openStoreAt(url, { listenUrl: proxy.url, pollMs: 60_000, onNotice });
  await expect.poll(() => notices).toEqual(['notifications unavailable; polling for commits of other daemons', 'notifications restored']);
  proxy.isBlackHole = true;
  await expect.poll(() => notices, { timeout: 30_000 }).toHaveLength(3);
  proxy.isBlackHole = false;
  proxy.cut();
  await expect.poll(() => notices, { timeout: 30_000 }).toHaveLength(4);
  const commits: Commit[] = [];
  two.onCommit((commit) => commits.push(commit));
  await putRows(await openStoreAt(url), [createThing('1')]);
  await vi.waitFor(() => expect(commits).toHaveLength(1));
});
