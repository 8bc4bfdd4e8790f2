/** A daemon on a full disk: writes are rejected without effect, reads continue, and no acknowledged write is lost. */
import { setImmediate as breathe } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { execa } from 'execa';
import { Pool } from 'undici';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { errors } from '../../../src/contract/errors.ts';
import { hasProcessEnded } from '../../../src/platform/process-ended.ts';
import { type Home, RUN, makeHome } from '../../support/cli/home.ts';
import { getKey } from '../../support/cli/daemon.ts';
import { DISKS, type Disk, WITHOUT_ROOM } from '../../support/cli/full-disk.ts';

const START = ['--tier', 'elevated=1000000'];
const REFUSED = errors.STORE_UNAVAILABLE.status;

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

interface Client extends AsyncDisposable {
  /** SKU and id of every item that the daemon said it has. */
  readonly acknowledged: Map<string, string>;
  readonly refused: Set<string>;
  send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, idempotencyKey?: string): Promise<Answer>;
  /** Creates an item under a SKU that is also its idempotency key. False when the disk took nothing. */
  create(sku?: string): Promise<boolean>;
}

let serial = 0;

function openClient(daemon: DaemonStatus, home: Home, acknowledged = new Map<string, string>()): Client {
  const pool = new Pool(daemon.url ?? '', { connections: 8 });
  const key = getKey(home);
  const refused = new Set<string>();
  const send: Client['send'] = async (method, path, body, idempotencyKey = '') => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
    const reply = await pool.request({ method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const answer = await reply.body.text();
    return {
      status: reply.statusCode,
      retryAfter: reply.headers['retry-after'] as string | undefined,
      body: answer === '' ? undefined : (JSON.parse(answer) as unknown),
    };
  };
  return {
    acknowledged,
    refused,
    send,
    async create(sku = `DISK-${String((serial += 1))}`) {
      const answer = await send('POST', '/v1/items', { name: 'x'.repeat(190), sku }, sku);
      if (answer.status === 201) {
        acknowledged.set(sku, answer.body.data.id as string);
        return refused.delete(sku) || true;
      }
      expectRefusal(answer);
      refused.add(sku);
      return false;
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

function expectRefusal({ status, body, retryAfter }: Answer): void {
  expect([status, body.error?.code, retryAfter]).toEqual([REFUSED, 'STORE_UNAVAILABLE', '5']);
}

/** What is stored is exactly what was acknowledged, each once, with its audit row. */
async function expectExactly({ send, acknowledged }: Client): Promise<void> {
  const found = new Map<string, string>();
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { status, body } = await send('GET', `/v1/items?page_size=200&page=${String(page)}`);
    expect([status, body.pagination.total]).toEqual([200, acknowledged.size]);
    for (const { id, sku } of body.data as { id: string; sku: string }[]) found.set(sku, id);
    pages = body.pagination.totalPages as number;
  }
  expect(found).toEqual(acknowledged);
  const audited: string[] = [];
  for (let cursor = '', more = true; more;) {
    const { body } = await send('GET', `/v1/audit/events?action_prefix=item.created&limit=1000${cursor}`);
    audited.push(...(body.data as { resourceId: string }[]).map(({ resourceId }) => resourceId));
    const { hasMore, nextCursor } = body.pagination as { hasMore: boolean; nextCursor: { createdAt: string; id: string } };
    cursor = `&cursor_created_at=${nextCursor.createdAt}&cursor_id=${nextCursor.id}`;
    more = hasMore;
  }
  expect(audited.toSorted()).toEqual([...acknowledged.values()].toSorted());
}

/** Writes until the disk refuses; what was written ahead may still take some. */
async function untilRefused(client: Client): Promise<void> {
  for (let tried = 0; tried < 20_000; tried += 1) if (!(await client.create())) return;
  throw new Error('the disk never became full');
}

async function untilTaken(client: Client): Promise<void> {
  while (!(await client.create())) await breathe();
}

describe.each(DISKS)('$name', ({ make }) => {
  test('rejects writes, but not reads, until space is available', async () => {
    await using home = await makeHome();
    await using disk: Disk = await make(home.path('disk'));
    const at = ['--data-dir', disk.directory];
    const daemon = await home.start([...START, ...at]);
    const pid = daemon.pid ?? 0;
    await using client = openClient(daemon, home);
    for (let count = 0; count < 20; count += 1) expect(await client.create()).toBe(true);
    const [first, second] = [...client.acknowledged.values()];

    for (let round = 0; round < 3; round += 1) {
      disk.fill(pid);
      await untilRefused(client);
      // Every kind of write, several concurrently.
      await Promise.all(Array.from({ length: 8 }, () => client.create()));
      for (const refused of [
        await client.send('PATCH', `/v1/items/${first ?? ''}`, { notes: 'never' }, `patch-${String(round)}`),
        await client.send('DELETE', `/v1/items/${second ?? ''}`),
        await client.send('POST', '/v1/orders', { module: 'make' }, `order-${String(round)}`),
      ])
        expectRefusal(refused);

      const one = await client.send('GET', `/v1/items/${first ?? ''}`);
      expect([one.status, one.body.data.notes]).toEqual([200, null]);
      expect((await client.send('GET', '/healthz')).status).toBe(200);
      await expectExactly(client);

      // A health check that failed here would restart a daemon that serves reads.
      const health = { exit: 0, body: { data: { status: 'running', ready: false, reason: 'store read-only' } } };
      expect(await home.json(['daemon', 'status', ...at])).toMatchObject(health);

      const command = await home.json(['items', 'create', '--name', 'From the terminal', '--max-wait', '0', ...at]);
      expect([command.exit, command.body.error]).toMatchObject([1, { code: 'STORE_UNAVAILABLE', status: REFUSED, exit: 1 }]);
      const tenant = await home.json(['tenants', 'create', '--name', 'Never', '--max-wait', '0', ...at]);
      expect([tenant.exit, tenant.body.error.code]).toEqual([1, 'STORE_UNAVAILABLE']);

      disk.empty(pid);
      await untilTaken(client);
      // A refused request did not use up its key.
      for (const sku of client.refused) expect(await client.create(sku)).toBe(true);
      await expectExactly(client);
    }

    // Killed while it is full, started again when it is not.
    disk.fill(pid);
    await untilRefused(client);
    process.kill(pid, 'SIGKILL');
    while (!hasProcessEnded(pid)) await breathe();
    disk.empty(0);
    const again = await home.start([...START, ...at]);
    await using later = openClient(again, home, client.acknowledged);
    await expectExactly(later);
    for (const sku of client.refused) expect(await later.create(sku)).toBe(true);
    await expectExactly(later);
    expect((await home.json(['tenants', 'list', ...at])).body.data).toHaveLength(1);
    expect((await home.json(['doctor', ...at])).body.data.ok).toBe(true);
  });
});

test('seed says how many rows stay when the disk fills, and what to do', async () => {
  await using home = await makeHome();
  const [kind] = DISKS;
  if (kind === undefined) throw new Error('no disk');
  await using disk = await kind.make(home.path('disk'));
  const at = ['--data-dir', disk.directory];
  const { pid } = await home.start(at);
  disk.fill(pid ?? 0);
  const { exit, body } = await home.json(['seed', '--items', '200000', ...at]);
  expect([exit, body.error.message]).toEqual([1, expect.stringMatching(/^Generating failed after [\d,]+ of 230,000 rows: .+/u)]);
  expect(body.error.hint).toMatch(/(?:rows stay in local|No rows were added)\. Remove the cause, then run it again/u);
});

test('a daemon that cannot write does not start, reports the reason and leaves the data unchanged', async () => {
  await using home = await makeHome();
  await home.start();
  const created = await home.json(['items', 'create', '--name', 'Bolt']);
  await home.run(['daemon', 'stop']);
  const [program, ...limits] = WITHOUT_ROOM;
  const start = [...limits, process.execPath, RUN, 'daemon', 'start', '--port', '0', '--json'];
  const refused = await execa(program, start, { env: home.env, extendEnv: false, reject: false });
  expect([refused.exitCode, JSON.parse(refused.stdout)]).toMatchObject([
    7,
    { error: { code: 'DATA_DIRECTORY', exit: 7, hint: expect.stringContaining('start again') as string } },
  ]);
  expect(refused.stdout).toContain(`Cannot write to ${home.path('data', 'stockroom')}: the file size limit is reached`);
  await home.start();
  expect((await home.json(['items', 'list'])).body.data).toEqual([created.body.data]);
});
