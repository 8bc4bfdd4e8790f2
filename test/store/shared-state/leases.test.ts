/** Leases in PostgreSQL: one owner at a time, takeover, and even shares. */
import { expect, onTestFinished, test } from 'vitest';
import type { LeaseGroup } from '../../../src/domain/kernel/shared-state.ts';
import type { Queryable } from '../../../src/store/postgres/database.ts';
import { createDatabaseLeases } from '../../../src/store/postgres/shared-state/leases.ts';
import { useSharedDatabase } from './database.ts';

const database = useSharedDatabase();
/** Instead of ten seconds. Longer than a busy machine may keep this process from renewing. */
const LIFETIME_MS = 3_000;
const NAMES = ['a', 'b', 'c', 'd', 'e'];
let counter = 0;

interface Daemon {
  readonly id: string;
  readonly group: LeaseGroup;
  readonly acquired: string[];
  readonly busy: Set<string>;
  readonly errors: unknown[];
  listOwned(): string[];
  /** While it is lost, no statement reaches the database. */
  readonly network: { isLost: boolean };
}

/** A daemon that takes part in a group and wants all leases. */
function start(group: string, names: readonly string[] = NAMES): Daemon {
  const connection = database.connect();
  const network = { isLost: false };
  const queryable: Queryable = {
    query: (statement, values) => (network.isLost ? Promise.reject(new Error('lost')) : connection.query(statement, values)),
  };
  const acquired: string[] = [];
  const busy = new Set<string>();
  const errors: unknown[] = [];
  const id = `daemon ${String((counter += 1))}`;
  const onError = (error: unknown): void => void errors.push(error);
  const leases = createDatabaseLeases({ database: queryable, instanceId: id, onError, lifetimeMs: LIFETIME_MS });
  const opened = leases.openGroup(group, { onAcquired: (name) => acquired.push(name), isBusy: (name) => busy.has(name) });
  opened.setNames(names);
  onTestFinished(() => opened.close());
  const listOwned = () => NAMES.filter((name) => opened.isOwned(name));
  return { id, group: opened, network, acquired, busy, errors, listOwned };
}

const count = (daemon: Daemon): number => daemon.listOwned().length;
/** Checks as long as `condition` is false that no lease has two owners. */
async function waitUntil(daemons: readonly Daemon[], condition: () => boolean): Promise<void> {
  await expect
    .poll(
      () => {
        const owned = daemons.flatMap((daemon) => daemon.listOwned());
        if (new Set(owned).size < owned.length) throw new Error(`a lease has two owners: ${owned.join()}`);
        return condition();
      },
      { interval: 5 },
    )
    .toBe(true);
}

test('a single daemon owns all leases, and learns of each once', async () => {
  const one = start('single');
  await waitUntil([one], () => count(one) === 5);
  expect([...one.acquired].sort()).toEqual(NAMES);
  // Longer than their lifetime.
  const until = performance.now() + 1.5 * LIFETIME_MS;
  await waitUntil([one], () => {
    expect(one.listOwned()).toEqual(NAMES);
    return performance.now() > until;
  });
  expect(one.acquired).toHaveLength(5);
  expect(one.errors).toEqual([]);
});

test('a name that is added is owned soon; one that is removed no longer', async () => {
  const one = start('changing', ['a']);
  await waitUntil([one], () => count(one) === 1);
  one.group.setNames(['b']);
  await waitUntil([one], () => one.group.isOwned('b'));
  expect(one.listOwned()).toEqual(['b']);
});

test('daemons that start together share the leases evenly', async () => {
  const daemons = [start('even'), start('even')];
  await waitUntil(daemons, () => count(daemons[0]!) + count(daemons[1]!) === 5 && Math.min(...daemons.map(count)) === 2);
  expect(daemons.flatMap((daemon) => daemon.errors)).toEqual([]);
});

test('a daemon that joins gets its share of leases that are not in use, and never has one together with another daemon', async () => {
  const one = start('joining');
  await waitUntil([one], () => count(one) === 5);
  one.busy.add('a').add('b').add('c');
  const two = start('joining');
  await waitUntil([one, two], () => count(one) === 3 && count(two) === 2);
  expect(one.listOwned()).toEqual(['a', 'b', 'c']);
});

test('no work is started under a lease that is given back; it changes hands when the work in progress has ended', async () => {
  const one = start('busy');
  await waitUntil([one], () => count(one) === 5);
  for (const name of NAMES) one.busy.add(name);
  const two = start('busy');
  await waitUntil([one, two], () => count(one) === 3);
  expect(count(two)).toBe(0);
  const given = NAMES.filter((name) => !one.group.isOwned(name));
  for (const name of given) one.busy.delete(name);
  await waitUntil([one, two], () => count(two) === 2);
  expect(two.listOwned()).toEqual(given);
});

test('a lease that was to be given back is used again when the other daemon leaves first', async () => {
  const one = start('staying');
  await waitUntil([one], () => count(one) === 5);
  for (const name of NAMES) one.busy.add(name);
  const two = start('staying');
  await waitUntil([one, two], () => count(one) === 3);
  one.acquired.length = 0;
  await two.group.close();
  await waitUntil([one], () => count(one) === 5);
  expect(one.acquired).toHaveLength(2);
});

test('leases of a stopped daemon move immediately; those of a lost daemon after they expire', async () => {
  const [one, two, three] = [start('takeover'), start('takeover'), start('takeover')];
  await waitUntil([one, two, three], () => count(one) + count(two) + count(three) === 5 && count(one) > 0 && count(two) > 0);
  await one.group.close();
  expect(count(one)).toBe(0);
  await waitUntil([one, two, three], () => count(two) + count(three) === 5);
  two.network.isLost = true;
  await waitUntil([two, three], () => count(three) === 5);
});

test('a daemon that cannot renew stops to use its leases, and learns when it has them again', async () => {
  const one = start('cut off');
  await waitUntil([one], () => count(one) === 5);
  one.network.isLost = true;
  await waitUntil([one], () => count(one) === 0);
  one.acquired.length = 0;
  one.network.isLost = false;
  await waitUntil([one], () => count(one) === 5);
  expect([...one.acquired].sort()).toEqual(NAMES);
});

test('each change of the owner increases the fence', async () => {
  const one = start('fenced', ['a']);
  await waitUntil([one], () => count(one) === 1);
  await one.group.close();
  const two = start('fenced', ['a']);
  await waitUntil([one, two], () => count(two) === 1);
  const { rows } = await database.execute(`SELECT fence::integer AS fence, owner FROM stockroom.leases WHERE name = 'fenced/a'`);
  expect(rows).toEqual([{ fence: 2, owner: two.id }]);
});

test('a lease that was given until a wrong future, before the clock of the server was corrected, ends soon', async () => {
  const connection = database.connect();
  const expiry = `clock_timestamp() + interval '1 day'`;
  for (const [name, owner] of [
    ['future/a', 'dead'],
    ['future/@dead', 'dead'],
  ])
    await connection.query(
      { name: 'wrong lease', text: `INSERT INTO stockroom.leases (name, owner, expires_at) VALUES ($1, $2, ${expiry})`, timeoutMs: 5_000 },
      [name, owner],
    );
  const one = start('future');
  await waitUntil([one], () => count(one) === 5);
  expect(one.errors).toEqual([]);
});

test('rows of leases that nobody has used for a day are deleted while a daemon runs', async () => {
  const connection = database.connect();
  const onError = (error: unknown): never => {
    throw error;
  };
  const leases = createDatabaseLeases({ database: connection, instanceId: 'purging', onError, lifetimeMs: 150, purgeIntervalMs: 1 });
  const group = leases.openGroup('purged', { onAcquired: () => undefined, isBusy: () => false });
  onTestFinished(() => group.close());
  const listOld = async () => (await database.execute(`SELECT FROM stockroom.leases WHERE name LIKE 'old/%'`)).rowCount;
  for (const round of ['1', '2']) {
    await database.execute(
      `INSERT INTO stockroom.leases (name, expires_at) VALUES ('old/${round}', clock_timestamp() - interval '2 days')`,
    );
    await expect.poll(listOld).toBe(0);
  }
});
