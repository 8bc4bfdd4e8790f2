/** Reads what event-loop-delay.ts measures in a daemon. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Stalls } from './event-loop-delay.ts';
import type { Arm, DaemonOptions } from './servers.ts';

const MODULE = fileURLToPath(new URL('event-loop-delay.ts', import.meta.url));
const POLL_MS = 5;

/** Options of a daemon that writes its event-loop delays to `file`. */
export const measuringDelay = (file: string): Pick<DaemonOptions, 'nodeFlags' | 'env'> => ({
  nodeFlags: ['--import', MODULE],
  env: { BENCH_STALLS: file },
});

/** The delays since the previous call, or since the start. */
export async function readStalls({ pid }: Arm, file: string): Promise<Stalls> {
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []);
  const known = lines().length;
  process.kill(pid, 'SIGUSR2');
  while (lines().length === known) await sleep(POLL_MS);
  return JSON.parse(lines().at(-1) ?? '') as Stalls;
}
