/** The live daemons of a database. */
import { expect, test, vi } from 'vitest';
import { TestClockConflict } from '../../../src/domain/kernel/shared-state.ts';
import { type DatabaseMembers, joinMembers } from '../../../src/store/postgres/shared-state/members.ts';
import { useSharedDatabase } from './database.ts';

const database = useSharedDatabase();
const HEARTBEAT_MS = 100;
/** Longer than a busy machine may keep this process from reporting. */
const DEAD_AFTER_MS = 4_000;
let counter = 0;

interface JoinedMember extends AsyncDisposable {
  readonly instanceId: string;
  readonly members: DatabaseMembers;
  /** Ends it without a farewell. */
  kill(): Promise<void>;
  /** While it is set, the daemon has no connection. */
  isIsolated: boolean;
}

async function join(hasTestClock = false): Promise<JoinedMember> {
  const instanceId = `daemon ${String((counter += 1))}`;
  const connection = database.connect();
  const query = connection.query.bind(connection);
  connection.query = (...args) => (member.isIsolated ? Promise.reject(new Error('no connection')) : query(...args));
  const self = { instanceId, version: '1.2.3', hasTestClock };
  const members = await joinMembers({
    database: connection,
    self,
    onError: () => undefined,
    heartbeatMs: HEARTBEAT_MS,
    deadAfterMs: DEAD_AFTER_MS,
  });
  const member = {
    instanceId,
    members,
    isIsolated: false,
    kill: () => connection.close(),
    [Symbol.asyncDispose]: () => members.leave().catch(() => undefined),
  };
  return member;
}
const listIds = async ({ members }: JoinedMember) => (await members.list()).map(({ instanceId }) => instanceId);

test('daemons see each other, oldest first, with version and URL', async () => {
  await using one = await join();
  await using two = await join();
  await two.members.setUrl('http://127.0.0.1:4000');
  expect(await one.members.list()).toMatchObject([
    { instanceId: one.instanceId, url: null, version: '1.2.3', hasTestClock: false },
    { instanceId: two.instanceId, url: 'http://127.0.0.1:4000', version: '1.2.3', hasTestClock: false },
  ]);
});

test('a daemon that leaves is gone immediately; one that was killed counts as live until it is missed', async () => {
  await using one = await join();
  const two = await join();
  const three = await join();
  await two.members.leave();
  await three.kill();
  expect(await listIds(one)).toEqual([one.instanceId, three.instanceId]);
  await expect.poll(() => listIds(one)).toEqual([one.instanceId]);
});

test('a daemon stays live as long as it reports', async () => {
  await using one = await join();
  const before = (await one.members.list())[0]!;
  await expect.poll(async () => (await one.members.list())[0]!.seenAt > before.seenAt).toBe(true);
  expect((await one.members.list())[0]!.startedAt).toBe(before.startedAt);
});

test('a daemon with a test clock cannot join live daemons, and none can join it', async () => {
  await using one = await join();
  const refused = await join(true).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TestClockConflict);
  expect((refused as TestClockConflict).others.map(({ instanceId }) => instanceId)).toEqual([one.instanceId]);
  await one.members.leave();
  await using clocked = await join(true);
  await expect(join()).rejects.toThrow(TestClockConflict);
  await expect(join(true)).rejects.toThrow(TestClockConflict);
  expect(await listIds(clocked)).toEqual([clocked.instanceId]);
});

test('of a daemon with a test clock and others that join at the same time, only one kind joins', async () => {
  const results = await Promise.allSettled([join(), join(true), join(), join(true)]);
  const joined = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const kinds = (await joined[0]!.members.list()).map(({ hasTestClock }) => hasTestClock);
  expect([[true], [false, false]]).toContainEqual(kinds);
  for (const { members } of joined) await members.leave();
});

test('a daemon that was cut off and one with a test clock that joined meanwhile find each other', async () => {
  await using one = await join();
  one.isIsolated = true;
  await using clocked = await vi.waitFor(() => join(true), { timeout: 60_000 });
  expect(clocked.members.hasClockConflict()).toBe(false);
  one.isIsolated = false;
  await expect.poll(() => [one, clocked].map(({ members }) => members.hasClockConflict())).toEqual([true, true]);
  await one.members.leave();
  await expect.poll(() => clocked.members.hasClockConflict()).toBe(false);
});

test('a dead daemon whose last report is from a wrong future, before the clock of the server was corrected, does not count as live', async () => {
  await using one = await join();
  const text = `INSERT INTO stockroom.members (instance_id, version, seen_at, test_clock) VALUES ('future', '1', clock_timestamp() + interval '1 day', true)`;
  await database.connect().query({ name: 'future member', text, timeoutMs: 5_000 }, []);
  expect(await listIds(one)).toEqual([one.instanceId]);
  // Nor does its test clock keep others from joining.
  await using two = await join();
  expect(await listIds(two)).toEqual([one.instanceId, two.instanceId]);
});
