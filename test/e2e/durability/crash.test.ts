/** Repeated kill -9 during writes: acknowledged writes exist exactly once, others completely or not at all. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Pool } from 'undici';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { hasProcessEnded } from '../../../src/platform/process-ended.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { getKey } from '../../support/cli/daemon.ts';
import { isLongRun } from '../../support/long-run.ts';

const ROUNDS = isLongRun ? 6 : 1;
const KILLS = isLongRun ? 60 : 1;
const WRITERS = 16;
const POLL_MS = 2;
/** Acknowledged writes after which a round may end; each round draws its own number, so that the kill meets different moments. */
const LEAST_ACKS = 40;
const MOST_ACKS = 400;

interface Sent {
  readonly key: string;
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: string;
}
interface Acknowledged extends Sent {
  readonly status: number;
  readonly reply: string;
}
interface Answer {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
}

/** What the clients know: the only witness of what was promised. */
class Witness {
  readonly acknowledged: Acknowledged[] = [];
  readonly unanswered: Sent[] = [];
  /** Highest acknowledged counter of each writer's own item, and the highest ever sent. */
  readonly counters = new Map<string, { acknowledged: number; sent: number }>();
  serial = 0;
}

async function send(pool: Pool, apiKey: string, { method, path, body, key }: Sent): Promise<Answer> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key };
  const reply = await pool.request({ method, path, headers, body });
  return { status: reply.statusCode, text: await reply.body.text(), replayed: reply.headers['idempotent-replayed'] === 'true' };
}

/** Writes until the connection breaks: mostly new items, now and then a change of an item of the writer's own. */
async function write(pool: Pool, apiKey: string, witness: Witness, own: string, onAck: () => void): Promise<void> {
  for (;;) {
    const serial = (witness.serial += 1);
    const counter = witness.counters.get(own);
    const changes = counter !== undefined && serial % 4 === 0;
    if (changes) counter.sent += 1;
    const sent: Sent = changes
      ? { key: `storm-${String(serial)}`, method: 'PATCH', path: `/v1/items/${own}`, body: JSON.stringify({ notes: String(counter.sent) }) }
      : {
          key: `storm-${String(serial)}`,
          method: 'POST',
          path: '/v1/items',
          body: JSON.stringify({ name: `Item ${String(serial)}`, sku: `S-${String(serial)}` }),
        };
    let answer: Answer;
    try {
      answer = await send(pool, apiKey, sent);
    } catch {
      witness.unanswered.push(sent);
      return;
    }
    if (answer.status >= 500) {
      // A graceful stop refuses with 503 and has done nothing.
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([503, { error: { code: 'UNAVAILABLE' } }]);
      witness.unanswered.push(sent);
      return;
    }
    expect([sent.body, answer.status, answer.replayed]).toEqual([sent.body, sent.method === 'POST' ? 201 : 200, false]);
    witness.acknowledged.push({ ...sent, status: answer.status, reply: answer.text });
    if (changes) counter.acknowledged = Math.max(counter.acknowledged, Number((JSON.parse(sent.body) as { notes: string }).notes));
    onAck();
  }
}

interface Item {
  readonly id: string;
  readonly name: string;
  readonly sku: string;
  readonly notes: string | null;
}

async function everyPage<T>(pool: Pool, apiKey: string, getPath: (next: number) => string): Promise<T[]> {
  const rows: T[] = [];
  for (let page = 1; ; page += 1) {
    const { statusCode, body } = await pool.request({ method: 'GET', path: getPath(page), headers: { 'x-api-key': apiKey } });
    const parsed = (await body.json()) as { data: T[]; pagination: { totalPages: number } };
    expect(statusCode).toBe(200);
    rows.push(...parsed.data);
    if (page >= parsed.pagination.totalPages) return rows;
  }
}

/** How often each resource was created according to the audit log. */
async function creations(pool: Pool, apiKey: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let cursor = '';
  for (;;) {
    const path = `/v1/audit/events?action_prefix=item.created&limit=1000${cursor}`;
    const { body } = await pool.request({ method: 'GET', path, headers: { 'x-api-key': apiKey } });
    const { data, pagination } = (await body.json()) as {
      data: { resourceId: string }[];
      pagination: { hasMore: boolean; nextCursor: { createdAt: string; id: string } | null };
    };
    for (const { resourceId } of data) counts.set(resourceId, (counts.get(resourceId) ?? 0) + 1);
    if (!pagination.hasMore || !pagination.nextCursor) return counts;
    const { createdAt, id } = pagination.nextCursor;
    cursor = `&cursor_created_at=${encodeURIComponent(createdAt)}&cursor_id=${id}`;
  }
}

type End = 'kill' | 'graceful';

/** Compares what is stored with what was promised, then repeats every request of `fresh` and of `unanswered`. */
async function verifyRecovery(pool: Pool, apiKey: string, witness: Witness, fresh: readonly Acknowledged[], end: End): Promise<void> {
  const items = await everyPage<Item>(pool, apiKey, (page) => `/v1/items?page_size=200&page=${String(page)}`);
  const bySku = Map.groupBy(items, ({ sku }) => sku);
  const audited = await creations(pool, apiKey);
  for (const [sku, found] of bySku) expect([sku, found.length, audited.get(found[0]?.id ?? '')]).toEqual([sku, 1, 1]);
  expect(audited.size).toBe(items.length);

  for (const { method, body, reply } of witness.acknowledged) {
    if (method !== 'POST') continue;
    const { id } = (JSON.parse(reply) as { data: Item }).data;
    const { sku } = JSON.parse(body) as Item;
    expect([sku, bySku.get(sku)?.[0]?.id]).toEqual([sku, id]);
  }
  // What is stored beyond the promises can only be requests whose answer was lost.
  const promised = new Set(
    witness.acknowledged.filter(({ method }) => method === 'POST').map(({ body }) => (JSON.parse(body) as Item).sku),
  );
  const lost = new Set(witness.unanswered.filter(({ method }) => method === 'POST').map(({ body }) => (JSON.parse(body) as Item).sku));
  for (const sku of bySku.keys()) expect([sku, promised.has(sku) || lost.has(sku)]).toEqual([sku, true]);
  // A graceful stop answers everything that it carries out.
  if (end === 'graceful') for (const sku of lost) expect([sku, bySku.has(sku)]).toEqual([sku, false]);
  for (const [id, { acknowledged, sent }] of witness.counters) {
    const stored = Number(items.find((item) => item.id === id)?.notes ?? 0);
    expect(stored).toBeGreaterThanOrEqual(acknowledged);
    expect(stored).toBeLessThanOrEqual(sent);
  }

  for (const promise of fresh) {
    const again = await send(pool, apiKey, promise);
    expect([promise.key, again]).toEqual([promise.key, { status: promise.status, text: promise.reply, replayed: true }]);
  }
  // Clients without an answer repeat the request: it runs now, or has run before, but never twice.
  for (const sent of witness.unanswered.splice(0)) {
    const { status, text } = await send(pool, apiKey, sent);
    expect([sent.key, status]).toEqual([sent.key, sent.method === 'POST' ? 201 : 200]);
    witness.acknowledged.push({ ...sent, status, reply: text });
  }
  const after = await everyPage<Item>(pool, apiKey, (page) => `/v1/items?page_size=200&page=${String(page)}`);
  expect(new Set(after.map(({ sku }) => sku)).size).toBe(after.length);
  expect(after.length).toBe(new Set([...promised, ...lost]).size);
}

/** One round: a storm, its end after a number of acknowledged writes, and the verdict over the daemon started again. */
async function round(home: Home, witness: Witness, daemon: DaemonStatus, end: End): Promise<DaemonStatus> {
  const apiKey = getKey(home);
  const before = witness.acknowledged.length;
  const enough = LEAST_ACKS + Math.floor(Math.random() * (MOST_ACKS - LEAST_ACKS));
  const pool = new Pool(daemon.url ?? '', { connections: WRITERS });
  let acks = 0;
  let finished: Promise<void> | undefined;
  const onAck = (): void => {
    acks += 1;
    if (acks === enough) finished = endings[end](home, daemon.pid ?? 0);
  };
  const owns: string[] = [];
  for (let writer = 0; writer < WRITERS; writer += 1) {
    const serial = (witness.serial += 1);
    const sent: Sent = {
      key: `storm-${String(serial)}`,
      method: 'POST',
      path: '/v1/items',
      body: JSON.stringify({ name: 'Counter', sku: `S-${String(serial)}` }),
    };
    const { status, text } = await send(pool, apiKey, sent);
    witness.acknowledged.push({ ...sent, status, reply: text });
    const { id } = (JSON.parse(text) as { data: Item }).data;
    witness.counters.set(id, { acknowledged: 0, sent: 0 });
    owns.push(id);
  }
  await Promise.all(owns.map((own) => write(pool, apiKey, witness, own, onAck)));
  await finished;
  await pool.destroy();
  expect(acks).toBeGreaterThanOrEqual(enough);

  const next = await home.start(START);
  const again = new Pool(next.url ?? '', { connections: 1 });
  await verifyRecovery(again, apiKey, witness, witness.acknowledged.slice(before), end);
  await again.destroy();
  return next;
}

const START = ['--tier', 'elevated=1000000'];

const endings: Record<End, (home: Home, pid: number) => Promise<void>> = {
  async kill(_home, pid) {
    process.kill(pid, 'SIGKILL');
    while (!hasProcessEnded(pid)) await sleep(POLL_MS);
  },
  async graceful(home) {
    expect((await home.json(['daemon', 'stop'])).exit).toBe(0);
  },
};

describe('a daemon under concurrent writes', () => {
  test('keeps every acknowledged write exactly once after kill -9', { timeout: 240_000 }, async () => {
    await using home = await makeHome();
    const witness = new Witness();
    let daemon = await home.start(START);
    for (let count = 0; count < KILLS; count += 1) daemon = await round(home, witness, daemon, 'kill');
    expect(witness.acknowledged.length).toBeGreaterThan(KILLS * LEAST_ACKS);
  });

  test('completes or rejects each request on a graceful stop, without broken responses', async () => {
    await using home = await makeHome();
    const witness = new Witness();
    let daemon = await home.start(START);
    for (let count = 0; count < ROUNDS; count += 1) daemon = await round(home, witness, daemon, 'graceful');
    expect(witness.acknowledged.length).toBeGreaterThan(ROUNDS * LEAST_ACKS);
  });
});
