/** Deliveries: how many a second, beside a load generator that posts to the same receiver; and what ten endpoints cost a create. */
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { HELD_MAX_ROWS } from '../../../src/contract/limits.ts';
import { type Arm, start } from '../arms.ts';
import type { Bench, Case } from '../bench.ts';
import { cpuMicros, move } from '../machine.ts';
import type { Finding } from '../report.ts';
import { measure, median } from '../rounds.ts';
import { createItem } from '../shots.ts';
import { compared } from './http.ts';

const RECEIVER = fileURLToPath(new URL('../receiver.ts', import.meta.url));
const SENDERS = 4;
const ENDPOINTS = 10;
/** Rounds that do not count: one of them takes half a second, in which nothing gets warm. The posts beside it have their warm-up as ever. */
const WARMUPS = 5;

export const webhooksCase: Case = {
  name: 'webhooks',
  about: 'deliveries a second, and creates with ten endpoints',
  async run(bench) {
    const { keys, copy } = await bench.data();
    const key = keys[0] ?? '';
    const arms = [bench.daemon({ directory: copy() }), bench.daemon({ directory: copy() }), start('receiver', undefined, [RECEIVER], {})];
    return bench.using(arms, async (subscribed, plain, receiver) => {
      if (!subscribed || !plain || !receiver) throw new Error('an arm is missing');
      bench.say('deliveries to a loopback receiver, 16 at once');
      const deliveries = await deliveryRate(bench, subscribed, receiver, key);
      bench.say('durable create item with ten endpoints, 16 connections');
      for (let count = 0; count < ENDPOINTS; count += 1) await addEndpoint(subscribed, key, receiver, 'active');
      const job = { connections: 16, shots: createItem(keys) };
      const arms2 = [
        { arm: subscribed, job },
        { arm: plain, job },
      ];
      const [mine = [], theirs = []] = await measure(bench.load, arms2, bench.effort);
      const what = 'durable create item with ten endpoints against none, 16 connections';
      return [deliveries, compared({ name: 'create-hooks', what, target: { of: 'ratio', atLeast: 0.7 } }, mine, theirs)];
    });
  },
};

/** Held deliveries of four endpoints are let go; the receiver says how long they took. */
async function deliveryRate(bench: Bench, ours: Arm, receiver: Arm, key: string): Promise<Finding> {
  const own: number[] = [];
  const theirs: number[] = [];
  const cpu: number[] = [];
  const endpoints: string[] = [];
  for (let count = 0; count < SENDERS; count += 1) endpoints.push(await addEndpoint(ours, key, receiver, 'paused'));
  const post = {
    method: 'POST' as const,
    path: '/',
    headers: { 'content-type': 'application/json' },
    body: '{"event":"x"}'.padEnd(500),
    status: 200,
  };
  for (let round = -WARMUPS; round < bench.effort.rounds; round += 1) {
    for (const id of endpoints) await call(ours, key, 'PATCH', `/v1/webhooks/${id}`, { status: 'paused' });
    await Promise.all(Array.from({ length: HELD_MAX_ROWS }, () => call(ours, key, 'POST', '/v1/items', { name: 'Held' })));
    await tally(receiver);
    const cpuBefore = cpuMicros(ours.pid) ?? Number.NaN;
    for (const id of endpoints) await call(ours, key, 'PATCH', `/v1/webhooks/${id}`, { status: 'active' });
    let [count, took] = [0, 0];
    while (count < SENDERS * HELD_MAX_ROWS) {
      await sleep(500);
      const part = await tally(receiver);
      if (part.count === 0 && count > 0) throw new Error(`only ${String(count)} deliveries came`);
      count += part.count;
      took += part.last - part.first;
    }
    if (round < 0) continue;
    own.push((count / took) * 1_000);
    cpu.push(((cpuMicros(ours.pid) ?? Number.NaN) - cpuBefore) / count);
    ours.pause();
    // Both times the receiver has a core for itself: beside the daemon that of the load, beside the load that of the daemon.
    move(receiver.pid, bench.cores?.server);
    theirs.push((await bench.load.run({ ...bench.effort, port: receiver.port, pid: receiver.pid, connections: 16, shots: [post] })).rate);
    move(receiver.pid, bench.cores?.load);
    ours.resume();
  }
  for (const id of endpoints) await call(ours, key, 'DELETE', `/v1/webhooks/${id}`);
  return {
    case: 'deliveries',
    what: 'deliveries to a loopback receiver, 16 at once, against bare posts to it',
    ours: { value: median(own), unit: '/s', ...(Number.isNaN(median(cpu)) ? {} : { cpu: median(cpu) }) },
    baseline: { value: median(theirs), unit: '/s' },
    ratio: median(own.map((rate, round) => rate / (theirs[round] ?? Number.NaN))),
    target: { of: 'ratio', atLeast: 0.35 },
    detail: { own, theirs, cpu },
  };
}

async function tally(receiver: Arm): Promise<{ count: number; first: number; last: number }> {
  return (await (await fetch(receiver.url)).json()) as { count: number; first: number; last: number };
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
