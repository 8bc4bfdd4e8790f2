/** Resident memory of a daemon that has been idle for a minute: with demo data, after generating items, and after a restart with them. */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Bench, type Case, NotHere } from '../bench.ts';
import { residentBytes } from '../machine.ts';
import type { Finding } from '../report.ts';
import { type Arm, isolated } from '../servers.ts';

const RUN = fileURLToPath(new URL('../../../bin/run.js', import.meta.url));
const IDLE_MS = 60_000;
const QUICK_IDLE_MS = 2_000;

export const memoryCase: Case = {
  name: 'memory',
  about: 'resident memory of an idle daemon',
  async run(bench) {
    const [demo, seeded] = ['memory-demo', 'memory-seeded'].map((name) => join(bench.work, name)) as [string, string];
    for (const directory of [demo, seeded]) mkdirSync(directory, { mode: 0o700 });
    const items = `${bench.rows.toLocaleString('en')} items`;
    return [
      await measureIdle(bench, 'with demo data', 110, bench.daemon({ directory: demo, flags: ['--demo'] })),
      await measureIdle(bench, `after generating ${items}`, 700, bench.daemon({ directory: seeded, flags: ['--demo'] }), () =>
        promisify(execFile)(process.execPath, [RUN, 'seed', '--items', String(bench.rows)], {
          env: { ...process.env, ...isolated(join(bench.work, 'home')), STOCKROOM_DATA_DIR: seeded },
        }),
      ),
      await measureIdle(bench, `after a restart with ${items}`, 550, bench.daemon({ directory: seeded })),
    ];
  },
};

async function measureIdle(
  bench: Bench,
  what: string,
  megabytes: number,
  daemon: Promise<Arm>,
  prepare?: () => Promise<unknown>,
): Promise<Finding> {
  return bench.using([daemon], async ({ pid }) => {
    bench.say(`memory ${what}`);
    await prepare?.();
    await sleep(bench.quick ? QUICK_IDLE_MS : IDLE_MS);
    const bytes = residentBytes(pid);
    if (bytes === undefined) throw new NotHere('this system does not report the memory of a process (no /proc)');
    return {
      case: 'memory',
      what: `memory ${what}`,
      ours: { value: bytes, unit: 'B' },
      target: { of: 'ours', atMost: megabytes * 1_000_000 },
    };
  });
}
