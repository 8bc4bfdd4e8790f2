/** Clocks of the server and of daemons that are wrong, set and corrected: changes have the right time or are rejected, and none is lost. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { getLogFile } from '../../../src/platform/local-paths.ts';
import { getData } from '../../support/cli/daemon.ts';
import { isLongRun } from '../../support/long-run.ts';
import { type DatabaseHome, makeDatabaseHome } from '../../support/postgres/homes.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { runSql } from '../../support/postgres/sql.ts';
import { type Receiver, startReceiver } from '../../support/servers/webhook-receiver.ts';
import { type DaemonApi, createDaemonApi } from '../../support/service/daemon-api.ts';
import { type SettableClock, createSettableClock } from '../../support/settable-clock.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
/** How far a time may be from the right one while a clock is off by less than a minute: that, and what a busy machine takes. */
const TOLERANCE_MS = 20_000;
/** One for each daemon, and for one more. */
const ENDPOINTS = 3;
/** In seconds; one of each kind unless everything is run. */
const STEPS = isLongRun ? [3, -3, HOUR_S, -HOUR_S, DAY_S, -DAY_S] : [-3, HOUR_S];

interface Daemon {
  readonly home: DatabaseHome;
  readonly clock: SettableClock;
  readonly api: DaemonApi;
  readonly status: DaemonStatus;
  /** What it has logged since `forgetLog`. */
  readLog(): string;
  forgetLog(): void;
}

const stack = new AsyncDisposableStack();
/** Names of items whose creation was acknowledged, with the time when it was. */
const acknowledged = new Map<string, number>();
/** How far the signed times of deliveries were from the right one, in milliseconds: receivers reject those from another time. */
const signatureOffsets: number[] = [];
let serverClock: SettableClock;
let server: PostgresServer;
let receiver: Receiver;
let daemons: readonly [Daemon, Daemon];
let key: string;

async function startDaemon(secondsAhead = 0): Promise<Daemon> {
  const clock = stack.use(await createSettableClock());
  await clock.set(secondsAhead);
  const home = stack.use(await makeDatabaseHome(server.url));
  const status = await home.start(['--drain-seconds', '0', '--tier', 'bulk=1000000'], clock.env);
  key ??= ((await home.home.json(['keys', 'create', '--all-scopes', '--tier', 'bulk'])).body as { secret: string }).secret;
  const log = getLogFile(getData(home.home));
  let logStart = 0;
  return {
    home,
    clock,
    api: createDaemonApi(() => status.url!, key),
    status,
    readLog: () => readFileSync(log, 'utf8').slice(logStart),
    forgetLog() {
      logStart = readFileSync(log, 'utf8').length;
    },
  };
}

beforeAll(async () => {
  serverClock = stack.use(await createSettableClock());
  server = stack.use(await startPostgresServer({ durable: true, env: serverClock.env }));
  receiver = stack.use(
    await startReceiver((response, { headers }) => {
      signatureOffsets.push(Math.abs(Number(headers['webhook-timestamp']) * 1_000 - Date.now()));
      response.writeHead(200).end();
    }),
  );
  daemons = [await startDaemon(), await startDaemon()];
  for (let endpoint = 0; endpoint < ENDPOINTS; endpoint += 1) {
    const targetUrl = `${receiver.url}/${String(endpoint)}`;
    const draft = { name: `Endpoint ${String(endpoint)}`, targetUrl, subscribedEvents: ['inventory.item.created'] };
    const { status, body } = await daemons[0].api.send('POST', '/v1/webhooks', draft);
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
});
beforeEach(() => daemons.forEach(({ forgetLog }) => forgetLog()));
afterAll(() => stack.disposeAsync());

let counter = 0;

/** Tries to create an item. Whatever happens, its time is right. */
async function create({ api }: Daemon): Promise<number> {
  const name = `Item ${String((counter += 1))}`;
  const { status, code, retryAfter, body } = await api.send('POST', '/v1/items', { name });
  if (status === 201) acknowledged.set(name, Date.now());
  else expect([status, code, retryAfter]).toEqual([503, 'STORE_UNAVAILABLE', expect.any(String)]);
  if (status === 201) expect(Math.abs(Date.parse(body.data.createdAt as string) - Date.now())).toBeLessThan(TOLERANCE_MS);
  return status;
}

const createAtBoth = async (): Promise<number[]> => [await create(daemons[0]), await create(daemons[1])];
const checkReadiness = async (): Promise<unknown[]> =>
  Promise.all(
    daemons.map(async ({ api }) => {
      const { status, reason } = await api.checkReadiness();
      return reason ?? status;
    }),
  );
const readItems = async ({ api }: Daemon): Promise<{ name: string; createdAt: string }[]> => {
  const items: { name: string; createdAt: string }[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await api.send('GET', `/v1/items?page_size=200&page=${String(page)}`);
    items.push(...(body.data as typeof items));
    if (items.length >= (body.pagination.total as number)) return items;
  }
};

/** Endpoint and item of each delivery that has not arrived. */
function findUndelivered(): string[] {
  const getName = (body: string) => (JSON.parse(body) as { data: { name: string } }).data.name;
  const delivered = new Set(receiver.received.map(({ path, body }) => `${path} ${getName(body)}`));
  const paths = Array.from({ length: ENDPOINTS }, (_, endpoint) => `/hook/${String(endpoint)}`);
  return paths.flatMap((path) => [...acknowledged.keys()].map((name) => `${path} ${name}`)).filter((each) => !delivered.has(each));
}

/** All clocks are right again: both daemons accept changes, and each acknowledged one is there once and was delivered. */
async function expectRecovery(): Promise<void> {
  await expect.poll(checkReadiness).toEqual([200, 200]);
  expect(await createAtBoth()).toEqual([201, 201]);
  for (const daemon of daemons) {
    const items = await readItems(daemon);
    expect(items.map(({ name }) => name).toSorted()).toEqual([...acknowledged.keys()].toSorted());
    for (const { name, createdAt } of items) expect(Math.abs(Date.parse(createdAt) - acknowledged.get(name)!)).toBeLessThan(TOLERANCE_MS);
  }
  await expect.poll(findUndelivered).toEqual([]);
  expect(Math.max(...signatureOffsets)).toBeLessThan(TOLERANCE_MS);
  expect(await daemons[0].home.home.json(['doctor'])).toMatchObject({ exit: 0, body: { data: { ok: true } } });
}

test.each(STEPS)('a clock of a daemon that is set by %i s changes no time, and only that daemon is not ready', async (step) => {
  expect(await createAtBoth()).toEqual([201, 201]);
  await daemons[0].clock.set(step);
  expect(await createAtBoth()).toEqual([201, 201]);
  await expect.poll(checkReadiness).toEqual(['clock skew', 200]);
  expect(await createAtBoth()).toEqual([201, 201]);
  await daemons[0].clock.set(0);
  await expectRecovery();
});

const SPANS: Readonly<Record<number, string>> = { [HOUR_S]: '60 minutes', [DAY_S]: '24 hours' };
const isLarge = (step: number): boolean => Math.abs(step) > MINUTE_S;

test.each(STEPS.filter(isLarge))(
  'changes are rejected while the clock of the server is set by %i s, with its reason in the log, and reads are not',
  async (step) => {
    expect(await createAtBoth()).toEqual([201, 201]);
    await serverClock.set(step);
    // With right times, until the next measurement.
    await expect.poll(createAtBoth).toEqual([503, 503]);
    expect(await checkReadiness()).toEqual(['clock skew', 'clock skew']);
    for (const daemon of daemons) {
      expect((await daemon.api.send('GET', '/v1/items')).status).toBe(200);
      expect(daemon.readLog()).toContain(
        `changes are rejected: the clock of the database has changed by ${SPANS[Math.abs(step)]!} against the time that has elapsed`,
      );
    }
    await serverClock.set(0);
    await expectRecovery();
    for (const { readLog } of daemons) expect(readLog()).toContain('the clocks agree again');
  },
);

test.each(STEPS.filter((step) => !isLarge(step)))(
  'daemons follow a clock of the server that is set by %i s, and are not ready meanwhile',
  async (step) => {
    await serverClock.set(step);
    await expect.poll(checkReadiness).toEqual(['clock skew', 'clock skew']);
    expect(await createAtBoth()).toEqual([201, 201]);
    await serverClock.set(0);
    await expectRecovery();
  },
);

test.each(STEPS)('a daemon that starts %i s ahead is not ready, and dates no change wrong, until its clock is corrected', async (step) => {
  const daemon = await startDaemon(step);
  expect(await daemon.api.checkReadiness()).toEqual({ status: 503, reason: 'clock skew' });
  expect(await create(daemon)).toBe(isLarge(step) ? 503 : 201);
  expect(daemon.readLog().includes('the clocks of this machine and of the database differ by')).toBe(isLarge(step));
  await daemon.clock.set(0);
  await expect.poll(() => daemon.api.checkReadiness()).toEqual({ status: 200 });
  expect(await create(daemon)).toBe(201);
  await expectRecovery();
  expect(await daemon.home.home.json(['daemon', 'stop'])).toMatchObject({ exit: 0 });
});

test.each(isLongRun ? [DAY_S, -DAY_S] : [DAY_S])(
  'endpoints of a daemon that was killed while the server was %i s ahead have an owner soon after the clock is corrected',
  async (step) => {
    const daemon = await startDaemon();
    const { instanceId } = daemon.status;
    const countLeases = async (): Promise<number | null> => {
      const statement = `SELECT FROM stockroom.leases WHERE owner = '${instanceId!}' AND name LIKE '%/%' AND abs(extract(epoch FROM expires_at) - ${String(Date.now() / 1_000 + step)}) < ${String(HOUR_S)}`;
      return (await runSql(server.url, statement)).rowCount;
    };
    await serverClock.set(step);
    await expect.poll(countLeases).toBeGreaterThan(0);
    process.kill(daemon.status.pid!, 'SIGKILL');
    await serverClock.set(0);
    await expectRecovery();
  },
);
