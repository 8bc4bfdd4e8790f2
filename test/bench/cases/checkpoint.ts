/** How long the event loop stands still while a checkpoint is written under 16 writers. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Arm } from '../arms.ts';
import type { Bench, Case } from '../bench.ts';
import { median } from '../rounds.ts';
import { createItem } from '../shots.ts';
import type { Stalls } from '../stalls.ts';

const WRITERS = 16;
const MANY_ROWS = 1_000_000;
const PROBE = fileURLToPath(new URL('../stalls.ts', import.meta.url));
const POLL_MS = 5;
const GIVE_UP_MS = 180_000;

export const checkpointCase: Case = {
  name: 'checkpoint',
  about: 'event loop during a checkpoint under 16 writers',
  async run(bench) {
    const { keys, copy } = await bench.data();
    const directory = copy();
    const file = join(bench.work, `stalls-${String(bench.rows)}`);
    const daemon = bench.daemon({ directory, nodeFlags: ['--import', PROBE], env: { BENCH_STALLS: file } });
    return bench.using([daemon], async (ours) => {
      const observed: Observed[] = [];
      for (let count = Math.ceil(bench.effort.rounds / 2); count > 0; count -= 1)
        observed.push(await observe(bench, ours, keys, directory, file));
      const worst = (stalls: (seen: Observed) => Stalls) => median(observed.map((seen) => stalls(seen).max));
      return [
        {
          case: 'checkpoint',
          what: `longest event-loop delay during a checkpoint (baseline: same load without one), ${String(WRITERS)} writers`,
          ours: { value: worst(({ during }) => during), unit: 'ms' },
          baseline: { value: worst(({ before }) => before), unit: 'ms' },
          target: { of: 'ours', atMost: bench.rows >= MANY_ROWS ? 50 : 20 },
          detail: { observed },
        },
      ];
    });
  },
};

interface Observed {
  /** Under the same load, before the checkpoint began. */
  readonly before: Stalls;
  readonly during: Stalls;
  readonly checkpointMs: number;
}

/** Writes until the journal is long enough for a checkpoint to begin by itself, and until that has ended. */
async function observe(bench: Bench, ours: Arm, keys: readonly string[], directory: string, file: string): Promise<Observed> {
  bench.say('checkpoint');
  const ended = new AbortController();
  const writing = (async () => {
    const job = { connections: WRITERS, shots: createItem(keys), port: ours.port, pid: ours.pid, warmupMs: 0, measureMs: 500 };
    while (!ended.signal.aborted) await bench.load.run(job);
  })();
  const until = async (isSo: () => boolean) => {
    const deadline = performance.now() + GIVE_UP_MS;
    while (!isSo()) {
      if (performance.now() > deadline) throw new Error('no checkpoint came');
      await Promise.race([sleep(POLL_MS), writing]);
    }
  };
  try {
    await sleep(bench.effort.warmupMs);
    await stallsSince(ours, file);
    const older = checkpointNow(directory);
    await until(() => readdirSync(directory).some((name) => name.startsWith('checkpoint-') && name !== older));
    const beganAt = performance.now();
    const before = await stallsSince(ours, file);
    await until(() => checkpointNow(directory) !== older);
    const checkpointMs = performance.now() - beganAt;
    return { before, during: await stallsSince(ours, file), checkpointMs };
  } finally {
    ended.abort();
    await writing;
  }
}

/** The file that the store would start from. */
function checkpointNow(directory: string): string | undefined {
  const { manifest } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as {
    manifest: { checkpoint?: { file: string } };
  };
  return manifest.checkpoint?.file;
}

async function stallsSince(ours: Arm, file: string): Promise<Stalls> {
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []);
  const known = lines().length;
  process.kill(ours.pid, 'SIGUSR2');
  while (lines().length === known) await sleep(POLL_MS);
  return JSON.parse(lines().at(-1) ?? '') as Stalls;
}
