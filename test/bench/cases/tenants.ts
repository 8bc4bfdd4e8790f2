/** Thousands of tenants with one key and one item each: start-up, the work after it, and memory. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Case, NotHere } from '../bench.ts';
import { cpuMicros, residentBytes } from '../machine.ts';
import { median } from '../rounds.ts';

const FILL = fileURLToPath(new URL('../fill-tenants.ts', import.meta.url));
const TENANTS = 2_000;
/** From readiness on. */
const BACKGROUND_MS = 30_000;
/** From the start on. */
const MEMORY_AFTER_MS = 60_000;
const ROUNDS = 3;
const TARGET_READY_MS = 1_200;
const TARGET_BACKGROUND_MS = 2_000;
const TARGET_BYTES = 160_000_000;

export const tenantsCase: Case = {
  name: 'tenants',
  about: 'start-up and memory with thousands of tenants',
  async run(bench) {
    const directory = join(bench.work, 'tenants');
    bench.say(`filling ${TENANTS.toLocaleString('en')} tenants`);
    await promisify(execFile)(process.execPath, [FILL, directory, String(TENANTS)]);
    const [backgroundMs, memoryAfterMs, rounds] = bench.quick ? [1_000, 2_000, 1] : [BACKGROUND_MS, MEMORY_AFTER_MS, ROUNDS];
    const readyMs: number[] = [];
    const startCpuMs: number[] = [];
    const backgroundCpuMs: number[] = [];
    const bytes: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      bench.say(`tenants, round ${String(round + 1)}`);
      await bench.using([bench.daemon({ directory })], async (arm) => {
        const cpuAtReady = readCpuMs(arm.pid);
        readyMs.push(arm.readyMs);
        startCpuMs.push(cpuAtReady);
        await sleep(backgroundMs);
        backgroundCpuMs.push(readCpuMs(arm.pid) - cpuAtReady);
        await sleep(Math.max(0, memoryAfterMs - backgroundMs - arm.readyMs));
        bytes.push(residentBytes(arm.pid) ?? Number.NaN);
      });
    }
    const finding = (what: string, values: readonly number[], unit: 'ms' | 'B', atMost: number) => ({
      case: 'tenants',
      what: `${what}, ${TENANTS.toLocaleString('en')} tenants`,
      ours: { value: median(values), unit },
      target: { of: 'ours' as const, atMost },
      detail: { values },
    });
    return [
      { ...finding('start', readyMs, 'ms', TARGET_READY_MS), detail: { readyMs, startCpuMs } },
      finding('CPU in the 30 seconds after a start', backgroundCpuMs, 'ms', TARGET_BACKGROUND_MS),
      finding('memory a minute after a start', bytes, 'B', TARGET_BYTES),
    ];
  },
};

function readCpuMs(pid: number): number {
  const micros = cpuMicros(pid);
  if (micros === undefined) throw new NotHere('this system does not report the CPU time of a process (no /proc)');
  return micros / 1_000;
}
