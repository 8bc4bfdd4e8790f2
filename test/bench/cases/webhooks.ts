/** Deliveries: how many a second, beside a load generator that posts to the same receiver; and what ten endpoints cost a create. */
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { HELD_MAX_ROWS } from '../../../src/contract/limits.ts';
import { type Arm, start } from '../servers.ts';
import type { Bench, Case } from '../bench.ts';
import { cpuMicros, move } from '../machine.ts';
import type { Figure, Finding } from '../report.ts';
import { measure, median, pairedRatio } from '../rounds.ts';
import type { Shot } from '../load.ts';
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
  about: 'deliveries a second, and creates with ten endpoints',
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
          const what = 'durable create item with ten endpoints over none, 16 connections';
          return compared({ name: 'create-hooks', what, target: { of: 'ratio', atLeast: 0.65 } }, mine, theirs);
        },
      );
      return [deliveries, creates];
    } finally {
      await receiver.stop();
    }
  },
};

/** Batches of held deliveries of four endpoints, and bare posts of the same message, in turns. */
async function deliveryRates(bench: Bench, ours: Arm, receiver: Arm, key: string): Promise<Finding> {
  const own: number[] = [];
  const cpu: number[] = [];
  const same: number[] = [];
  const endpoints: string[] = [];
  for (let count = 0; count < SENDERS; count += 1) endpoints.push(await addEndpoint(ours, key, receiver, 'paused'));
  const times = { warmupMs: bench.effort.warmupMs / BATCHES_PER_ROUND, measureMs: bench.effort.measureMs / BATCHES_PER_ROUND };
  for (let batch = -WARM_BATCHES; batch < bench.effort.rounds * BATCHES_PER_ROUND; batch += 1) {
    const { rate, cost, sent } = await deliverHeld(ours, receiver, key, endpoints);
    ours.pause();
    // Each time the receiver has a core for itself: beside the daemon that of the load, beside the load that of the daemon.
    move(receiver.pid, bench.cores?.server);
    const posted = await bench.load.run({ ...times, port: receiver.port, pid: receiver.pid, connections: 16, shots: [sent] });
    move(receiver.pid, bench.cores?.load);
    ours.resume();
    if (batch < 0) continue;
    own.push(rate);
    cpu.push(cost);
    same.push(posted.rate);
  }
  for (const id of endpoints) await call(ours, key, 'DELETE', `/v1/webhooks/${id}`);
  const delivered: Figure = { value: median(own), unit: '/s', ...(Number.isNaN(median(cpu)) ? {} : { cpu: median(cpu) }) };
  return {
    case: 'deliveries',
    what: 'deliveries to a loopback receiver, 16 at once, over bare posts',
    ours: delivered,
    baseline: { value: median(same), unit: '/s' },
    ratio: pairedRatio(own, same),
    target: { of: 'ratio', atLeast: 0.35 },
    detail: { own, same, cpu },
  };
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

async function addEndpoint(arm: Arm, key: string, receiver: Arm, status: string): Promise<string> {
  const draft = { name: 'Bench', targetUrl: receiver.url, subscribedEvents: ['inventory.item.created'], status };
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
