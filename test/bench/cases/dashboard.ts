/** The dashboard in a real terminal: until its first frame, and beside a service that records 200 events a second. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { type Terminal, openTerminal } from '../../support/cli/terminal.ts';
import { type Arm, isolated, start } from '../servers.ts';
import type { Bench, Case } from '../bench.ts';
import type { Finding } from '../report.ts';
import { median } from '../rounds.ts';

const RECEIVER = fileURLToPath(new URL('../receiver.ts', import.meta.url));
const SIZE = { columns: 120, rows: 40 };
const EVENTS_PER_SECOND = 200;
const TICK_MS = 50;
const LOOK_MS = 5;
/** Of /proc: the kernel counts CPU time in hundredths of a second. */
const JIFFY_MS = 10;

export const dashboardCase: Case = {
  name: 'dashboard',
  about: 'the dashboard: first frame, and at 200 events a second',
  async run(bench) {
    const { keys, copy } = await bench.data();
    const key = keys[0] ?? '';
    const directory = copy();
    const arms = [bench.daemon({ directory }), start('receiver', undefined, [RECEIVER], {})];
    return bench.using(arms, async (daemon, receiver) => {
      if (!daemon || !receiver) throw new Error('an arm is missing');
      await addEndpoint(daemon, key, receiver.url);
      const home = join(bench.work, 'home');
      const env = { ...isolated(home), PATH: process.env['PATH'] ?? '', STOCKROOM_DATA_DIR: directory, STOCKROOM_API_KEY: key };
      await using terminal = await openTerminal({ env, directory: home, path: (...names) => join(home, ...names) }, SIZE);
      const first = await firstFrames(bench, terminal);
      const pid = await terminal.pid();
      await sleep(2_000);
      bench.say(`dashboard, ${String(EVENTS_PER_SECOND)} events a second`);
      let made = 0;
      const busy = await getCpu(pid, async () => {
        made = await creates(daemon, key, performance.now() + (bench.quick ? 5_000 : 60_000));
      });
      await terminal.press('q');
      return [
        {
          case: 'dashboard',
          what: 'dashboard until its first frame',
          ours: { value: median(first), unit: 'ms' },
          target: { of: 'ours', atMost: 600 },
          detail: { first },
        },
        {
          case: 'dashboard',
          what: `dashboard at ${(made / busy.seconds).toFixed(0)} events a second, of one core`,
          ours: { value: busy.share * 100, unit: '%' },
          target: { of: 'ours', atMost: 35 },
          detail: { ...busy, made },
        },
      ] satisfies Finding[];
    });
  },
};

/** Milliseconds from Enter until the frame is there, several times; the last dashboard stays. */
async function firstFrames({ quick, say }: Bench, terminal: Terminal): Promise<number[]> {
  const times: number[] = [];
  // The first run fills the compile cache, as it does once on every machine.
  for (let round = -1; round < (quick ? 2 : 6); round += 1) {
    say(`dashboard, first frame ${String(round + 2)}`);
    if (round >= 0) {
      await terminal.press('q');
      await terminal.ends();
    }
    await terminal.run('dashboard', { enter: false });
    const startedAt = performance.now();
    await terminal.press('Enter');
    await until(async () => (await terminal.screen()).includes('[0 Overview]'));
    if (round >= 0) times.push(performance.now() - startedAt);
  }
  return times;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(LOOK_MS);
}

async function getCpu(pid: number, work: () => Promise<void>): Promise<{ share: number; seconds: number }> {
  const [before, startedAt] = [cpuMs(pid), performance.now()];
  await work();
  const elapsed = performance.now() - startedAt;
  return { share: (cpuMs(pid) - before) / elapsed, seconds: elapsed / 1_000 };
}

function cpuMs(pid: number): number {
  // After the name in brackets: user and system time are the twelfth and thirteenth field.
  const fields = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * JIFFY_MS;
}

/** Creates items at an even pace until then; each is a request, an audit row, an event and a delivery. Returns how many. */
async function creates(daemon: Arm, key: string, end: number): Promise<number> {
  let made = 0;
  const startedAt = performance.now();
  const open = new Set<Promise<void>>();
  while (performance.now() < end) {
    const due = ((performance.now() - startedAt) / 1_000) * EVENTS_PER_SECOND;
    for (; made < due; made += 1) {
      const one = post(daemon, key, '/v1/items', { name: 'Bolt' }).then(() => undefined);
      open.add(one);
      void one.finally(() => open.delete(one));
    }
    await sleep(TICK_MS);
  }
  await Promise.all(open);
  return made;
}

const addEndpoint = (daemon: Arm, key: string, targetUrl: string): Promise<void> =>
  post(daemon, key, '/v1/webhooks', { name: 'Bench', targetUrl, subscribedEvents: ['inventory.item.created'] });

let counter = 0;

async function post({ url }: Arm, key: string, path: string, body: unknown): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': `dashboard-${String((counter += 1))}` };
  const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path}: ${String(reply.status)} ${text}`);
}
