/** Deliveries: how many a second, beside a load generator that posts to the same receiver; and what ten endpoints cost a create. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { HELD_MAX_ROWS, RETRY_DELAY_MAX_S } from '../../../src/contract/limits.ts';
import { type Arm, start } from '../servers.ts';
import type { Bench, Case } from '../bench.ts';
import { cpuMicros, move, residentBytes } from '../machine.ts';
import type { Figure, Finding } from '../report.ts';
import { measure, median, pairedRatio } from '../rounds.ts';
import type { Shot } from '../load-generator.ts';
import { createItem } from '../requests.ts';
import { compared } from './http.ts';

const RECEIVER = fileURLToPath(new URL('../receiver.ts', import.meta.url));
const SENDERS = 4;
const ENDPOINTS = 10;
/**
 * A batch is what may be held, and takes about half a second. Behind each, the bare posts are measured for as long: shorter than the daemon keeps
 * its connections, so that it continues unchanged.
 */
const BATCHES_PER_ROUND = 6;
/** That do not count: until everything is compiled. */
const WARM_BATCHES = 15;
/** Of creates with ten endpoints and none, before those that count: in a slow hour V8 compiles for the first ten seconds of each. */
const COLD_ROUNDS = 6;
/** How often as many rounds of them count as of other cases: their turns differ most. */
const MORE_ROUNDS = 2;

export const webhooksCase: Case = {
  name: 'webhooks',
  about: 'deliveries a second, creates with ten endpoints, and retries that wait',
  async run(bench) {
    const { keys, copy } = await bench.data();
    const key = keys[0] ?? '';
    const receiver = await start('receiver', undefined, [RECEIVER], {});
    try {
      bench.say('deliveries to a loopback receiver, 16 at once');
      const deliveries = await bench.using([bench.daemon({ directory: copy() })], (sender) => {
        if (!sender) throw new Error('an arm is missing');
        return deliveryRates(bench, sender, receiver, key);
      });
      bench.say('durable create item with ten endpoints, 16 connections');
      // Two that are equally old: the one above has a hundred thousand deliveries behind it.
      const creates = await bench.using(
        [bench.daemon({ directory: copy() }), bench.daemon({ directory: copy() })],
        async (subscribed, plain) => {
          if (!subscribed || !plain) throw new Error('an arm is missing');
          for (let count = 0; count < ENDPOINTS; count += 1) await addEndpoint(subscribed, key, receiver, 'active');
          const job = { connections: 16, shots: createItem(keys) };
          const contenders = [
            { arm: subscribed, job },
            { arm: plain, job },
          ];
          // Both are fresh, and one of them has twice as much code to get warm.
          await measure(bench.load, contenders, { ...bench.effort, rounds: COLD_ROUNDS });
          const [mine = [], theirs = []] = await measure(bench.load, contenders, {
            ...bench.effort,
            rounds: bench.effort.rounds * MORE_ROUNDS,
          });
          const what = 'durable create item with ten endpoints against none, 16 connections';
          return compared({ name: 'create-hooks', what, target: { of: 'ratio', atLeast: 0.7 } }, mine, theirs);
        },
      );
      return [...deliveries, creates, await besideDead(bench, receiver), ...(await waitingRetries(bench))];
    } finally {
      await receiver.stop();
    }
  },
};

const QUEUED = 10_000;
const LOOKS = 40;

/** How long after a create its delivery arrives, while thousands wait for an endpoint that never answers; beside the same without any. */
async function besideDead(bench: Bench, receiver: Arm): Promise<Finding> {
  const { keys, copy } = await bench.data();
  const key = keys[0] ?? '';
  const dead = createServer(() => {});
  await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve));
  const deadUrl = { url: `http://127.0.0.1:${String((dead.address() as AddressInfo).port)}/` };
  try {
    return await bench.using([bench.daemon({ directory: copy() })], async (arm) => {
      if (!arm) throw new Error('an arm is missing');
      bench.say(`a first attempt beside a dead endpoint with ${String(QUEUED)} deliveries`);
      await addEndpoint(arm, key, receiver, 'active');
      const alone = await delays(arm, receiver, key);
      // Subscribed to events that the other endpoint does not get.
      const id = await addEndpoint(arm, key, deadUrl, 'active', 'contact.created');
      for (let made = 0; made < QUEUED; made += 100)
        await Promise.all(Array.from({ length: 100 }, () => call(arm, key, 'POST', '/v1/contacts', { name: 'Queued' })));
      const beside = await delays(arm, receiver, key);
      const waiting = (await getTotal(arm, key, id, 'pending')) + (await getTotal(arm, key, id, 'retrying'));
      if (waiting < QUEUED) throw new Error(`${String(waiting)} deliveries wait instead of ${String(QUEUED)}`);
      return {
        case: 'dead-endpoint',
        what: `longest until a first attempt arrives beside a dead endpoint with ${String(QUEUED)} deliveries, against none`,
        ours: { value: Math.max(...beside), unit: 'ms' },
        baseline: { value: Math.max(...alone), unit: 'ms' },
        target: { of: 'ours', atMost: Math.max(...alone) + 100 },
        detail: { beside, alone },
      };
    });
  } finally {
    dead.closeAllConnections();
    dead.close();
  }
}

/** Milliseconds from the reply to a create until its delivery has arrived, one create after another. */
async function delays(arm: Arm, receiver: Arm, key: string): Promise<number[]> {
  const found: number[] = [];
  for (let look = -LOOKS; look < LOOKS; look += 1) {
    await call(arm, key, 'POST', '/v1/items', { name: 'Seen' });
    const from = performance.timeOrigin + performance.now();
    let part = await tally(receiver);
    while (part.count === 0) {
      await sleep(5);
      part = await tally(receiver);
    }
    if (look >= 0) found.push(Math.max(0, part.last - from));
  }
  return found;
}

const WAITING = 100_000;
const IDLE_MS = 20_000;
/** A port on which no process listens. */
const UNREACHABLE = { url: 'http://127.0.0.1:9/' };

/** What retries that are not due cost a service that does nothing else, beside one with the same rows and no endpoint. */
async function waitingRetries(bench: Bench): Promise<Finding[]> {
  const { keys, copy } = await bench.data();
  const key = keys[0] ?? '';
  const config = join(bench.work, 'home', 'config', 'stockroom', 'config.json');
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, JSON.stringify({ webhooks: { retryScheduleSeconds: [RETRY_DELAY_MAX_S] } }));
  const arms = [bench.daemon({ directory: copy() }), bench.daemon({ directory: copy() })];
  try {
    return await bench.using(arms, async (waiting, plain) => {
      if (!waiting || !plain) throw new Error('an arm is missing');
      bench.say(`${String(WAITING)} retries that are not due`);
      const endpoints: string[] = [];
      for (let count = 0; count < ENDPOINTS; count += 1) endpoints.push(await addEndpoint(waiting, key, UNREACHABLE, 'active'));
      for (const arm of [waiting, plain]) {
        for (let made = 0; made < WAITING / ENDPOINTS; made += 100)
          await Promise.all(Array.from({ length: 100 }, () => call(arm, key, 'POST', '/v1/items', { name: 'Waits' })));
      }
      for (const id of endpoints) while ((await getTotal(waiting, key, id, 'pending')) > 0) await sleep(500);
      let retries = 0;
      for (const id of endpoints) retries += await getTotal(waiting, key, id, 'retrying');
      if (retries !== WAITING) throw new Error(`${String(retries)} deliveries wait instead of ${String(WAITING)}`);
      await sleep(IDLE_MS / 4);
      const before = [waiting, plain].map(({ pid }) => cpuMicros(pid) ?? Number.NaN);
      await sleep(IDLE_MS);
      const shares = [waiting, plain].map(({ pid }, at) => ((cpuMicros(pid) ?? Number.NaN) - (before[at] ?? 0)) / (IDLE_MS * 10));
      const [ours = Number.NaN, baseline = Number.NaN] = shares;
      const [loaded = Number.NaN, bare = Number.NaN] = [waiting, plain].map(({ pid }) => residentBytes(pid) ?? Number.NaN);
      return [
        {
          case: 'retries-idle',
          what: `CPU of a core while ${String(WAITING)} retries wait that are not due, beside a service without any`,
          ours: { value: ours, unit: '%' },
          baseline: { value: baseline, unit: '%' },
        },
        {
          case: 'retries-memory',
          what: 'resident memory of each of them',
          ours: { value: (loaded - bare) / WAITING, unit: 'B' },
          detail: { loaded, bare },
        },
      ];
    });
  } finally {
    rmSync(config);
  }
}

async function getTotal(arm: Arm, key: string, webhookId: string, status: string): Promise<number> {
  const page = await call(arm, key, 'GET', `/v1/webhooks/${webhookId}/deliveries?status=${status}&page_size=1`);
  return (page as { pagination: { total: number } }).pagination.total;
}

/** What deliveries were compared with until 2026-11-22; one of them has twelve headers and some 900 bytes. */
const SMALL: Shot = {
  method: 'POST',
  path: '/',
  headers: { 'content-type': 'application/json' },
  body: '{"event":"x"}'.padEnd(500),
  status: 200,
};

/** Batches of held deliveries of four endpoints, and bare posts of the same message and of a smaller one, in turns. */
async function deliveryRates(bench: Bench, ours: Arm, receiver: Arm, key: string): Promise<Finding[]> {
  const own: number[] = [];
  const cpu: number[] = [];
  const same: number[] = [];
  const small: number[] = [];
  const endpoints: string[] = [];
  for (let count = 0; count < SENDERS; count += 1) endpoints.push(await addEndpoint(ours, key, receiver, 'paused'));
  const times = { warmupMs: bench.effort.warmupMs / BATCHES_PER_ROUND, measureMs: bench.effort.measureMs / BATCHES_PER_ROUND };
  for (let batch = -WARM_BATCHES; batch < bench.effort.rounds * BATCHES_PER_ROUND; batch += 1) {
    const { rate, cost, sent } = await deliverHeld(ours, receiver, key, endpoints);
    ours.pause();
    // Both times the receiver has a core for itself: beside the daemon that of the load, beside the load that of the daemon.
    move(receiver.pid, bench.cores?.server);
    const post = (shot: Shot) => bench.load.run({ ...times, port: receiver.port, pid: receiver.pid, connections: 16, shots: [shot] });
    const sameMessage = await post(sent);
    const smallMessage = await post(SMALL);
    move(receiver.pid, bench.cores?.load);
    ours.resume();
    if (batch < 0) continue;
    own.push(rate);
    cpu.push(cost);
    same.push(sameMessage.rate);
    small.push(smallMessage.rate);
  }
  for (const id of endpoints) await call(ours, key, 'DELETE', `/v1/webhooks/${id}`);
  const what = 'deliveries to a loopback receiver, 16 at once, against bare posts';
  const delivered: Figure = { value: median(own), unit: '/s', ...(Number.isNaN(median(cpu)) ? {} : { cpu: median(cpu) }) };
  return [
    {
      case: 'deliveries',
      what: `${what} of the same message to it`,
      ours: delivered,
      baseline: { value: median(same), unit: '/s' },
      ratio: pairedRatio(own, same),
      target: { of: 'ratio', atLeast: 0.35 },
      detail: { own, same, cpu },
    },
    {
      case: 'deliveries-small',
      what: `${what} of 500 bytes with one header`,
      ours: delivered,
      baseline: { value: median(small), unit: '/s' },
      ratio: pairedRatio(own, small),
      detail: { own, small },
    },
  ];
}

/** As many as may be held are made and let go: deliveries a second, microseconds of CPU for each, and what the first of them was. */
async function deliverHeld(
  ours: Arm,
  receiver: Arm,
  key: string,
  endpoints: readonly string[],
): Promise<{ rate: number; cost: number; sent: Shot }> {
  for (const id of endpoints) await call(ours, key, 'PATCH', `/v1/webhooks/${id}`, { status: 'paused' });
  // Over few connections: a thousand of them would be closed by the daemon while it delivers.
  let left = HELD_MAX_ROWS;
  const fill = async () => {
    while (left-- > 0) await call(ours, key, 'POST', '/v1/items', { name: 'Held' });
  };
  await Promise.all(Array.from({ length: 16 }, fill));
  await tally(receiver);
  const cpuBefore = cpuMicros(ours.pid) ?? Number.NaN;
  for (const id of endpoints) await call(ours, key, 'PATCH', `/v1/webhooks/${id}`, { status: 'active' });
  let [count, took] = [0, 0];
  let part: Tally | undefined;
  while (count < endpoints.length * HELD_MAX_ROWS) {
    await sleep(500);
    part = await tally(receiver);
    if (part.count === 0 && count > 0) throw new Error(`only ${String(count)} deliveries came`);
    count += part.count;
    took += part.last - part.first;
  }
  const { host: _host, 'content-length': _length, ...headers } = part?.headers ?? {};
  return {
    rate: (count / took) * 1_000,
    cost: ((cpuMicros(ours.pid) ?? Number.NaN) - cpuBefore) / count,
    sent: { method: 'POST', path: '/', headers, body: part?.body ?? '', status: 200 },
  };
}

interface Tally {
  readonly count: number;
  readonly first: number;
  readonly last: number;
  /** Of the first request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function tally(receiver: Arm): Promise<Tally> {
  return (await (await fetch(receiver.url)).json()) as Tally;
}

async function addEndpoint(
  arm: Arm,
  key: string,
  receiver: Pick<Arm, 'url'>,
  status: string,
  event = 'inventory.item.created',
): Promise<string> {
  const draft = { name: 'Bench', targetUrl: receiver.url, subscribedEvents: [event], status };
  const { data } = (await call(arm, key, 'POST', '/v1/webhooks', draft)) as { data: { id: string } };
  return data.id;
}

let counter = 0;

async function call(arm: Arm, key: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': `hooks-${String((counter += 1))}` };
  const reply = await fetch(`${arm.url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${String(reply.status)} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
