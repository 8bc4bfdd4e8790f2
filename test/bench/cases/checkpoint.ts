/** What users notice of checkpoints: how long the event loop stands still under 16 writers, and the slowest creates. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Bench, Case } from '../bench.ts';
import type { Load } from '../load.ts';
import type { Arm } from '../servers.ts';
import { median } from '../rounds.ts';
import { createItem, updateItem } from '../requests.ts';
import type { Stalls } from '../event-loop-delay.ts';
import { measuringDelay, readStalls } from '../read-event-loop-delay.ts';

const WRITERS = 16;
/** More than the same load has without a checkpoint. */
const DELAY_MAX_MS = 20;
const PREPARE = fileURLToPath(new URL('../prepare-checkpoint.ts', import.meta.url));
const POLL_MS = 5;
/** Long enough for an answer even when the disk is busy with the checkpoint. */
const BURST_MS = 3_000;
const GIVE_UP_MS = 180_000;

export const checkpointCase: Case = {
  name: 'checkpoint',
  about: 'event loop during a checkpoint under 16 writers',
  async run(bench) {
    const { keys, copy } = await bench.data();
    const observed: Observed[] = [];
    for (let round = 0; round < Math.ceil(bench.effort.rounds / 2); round += 1) {
      bench.say(`checkpoint, round ${String(round + 1)}`);
      const directory = await prepare(bench, copy());
      const file = join(bench.work, `stalls-${String(round)}`);
      const daemon = bench.daemon({ directory, ...measuringDelay(file) });
      observed.push(await bench.using([daemon], (ours) => observe(bench, ours, keys, directory, file)));
    }
    const worst = (stalls: (seen: Observed) => Stalls) => median(observed.map((seen) => stalls(seen).max));
    return [
      {
        case: 'checkpoint',
        what: `longest event-loop delay during a checkpoint, ${String(WRITERS)} writers`,
        ours: { value: worst(({ during }) => during), unit: 'ms' },
        baseline: { value: worst(({ before }) => before), unit: 'ms' },
        target: { of: 'ours', atMost: worst(({ before }) => before) + DELAY_MAX_MS },
        detail: { observed },
      },
    ];
  },
};

/** In the first seconds after a start, functions are compiled, which takes half of the core. */
const WARM_UP_MS = 10_000;
/** Long enough for a checkpoint to become due on a slow machine. */
const CREATE_MS = 30_000;
const P99_MAX_MS = 15;

export const createP99Case: Case = {
  name: 'create-p99',
  about: 'the slowest creates, checkpoints included',
  async run(bench) {
    const { keys, copy } = await bench.data();
    const loads: Load[] = [];
    for (let round = 0; round < Math.ceil(bench.effort.rounds / 2); round += 1) {
      bench.say(`create-p99, round ${String(round + 1)}`);
      const directory = copy();
      loads.push(
        await bench.using([bench.daemon({ directory })], async (ours) => {
          const job = { connections: WRITERS, shots: createItem(keys), port: ours.port, pid: ours.pid, warmupMs: WARM_UP_MS };
          const older = checkpointNow(directory);
          const load = await bench.load.run({ ...job, measureMs: CREATE_MS });
          if (checkpointNow(directory) === older) throw new Error('no checkpoint came');
          return load;
        }),
      );
    }
    return [
      {
        case: 'create-p99',
        what: `durable create item, ${String(WRITERS)} connections, p99`,
        ours: { value: median(loads.map(({ p99 }) => p99)), unit: 'ms' },
        target: { of: 'ours', atMost: P99_MAX_MS },
        detail: { loads },
      },
    ];
  },
};

/** Brings a copy of the data to where a few more writes make a checkpoint due. */
async function prepare(bench: Bench, directory: string): Promise<string> {
  await promisify(execFile)(process.execPath, [PREPARE, directory, String(bench.rows)]);
  return directory;
}

interface Observed {
  /** Under the same load, before the checkpoint began. */
  readonly before: Stalls;
  readonly during: Stalls;
  readonly checkpointMs: number;
  /** Of all writes, those waiting for the disk included. */
  readonly slowestWriteMs: number;
}

/** Writes until a checkpoint has begun by itself, and until it has ended. */
async function observe(bench: Bench, ours: Arm, keys: readonly string[], directory: string, file: string): Promise<Observed> {
  const older = checkpointNow(directory);
  const job = {
    connections: WRITERS,
    shots: updateItem(keys, bench.rows),
    port: ours.port,
    pid: ours.pid,
    warmupMs: 0,
    measureMs: BURST_MS,
  };
  // What every start has once, with a checkpoint or without, is in neither figure.
  await bench.load.run(job);
  await readStalls(ours, file);
  const ended = new AbortController();
  const writing = (async () => {
    let slowest = 0;
    while (!ended.signal.aborted) slowest = Math.max(slowest, (await bench.load.run(job)).max);
    return slowest;
  })();
  const until = async (isSo: () => boolean) => {
    const deadline = performance.now() + GIVE_UP_MS;
    while (!isSo()) {
      if (performance.now() > deadline) throw new Error('no checkpoint came');
      await Promise.race([sleep(POLL_MS), writing]);
    }
  };
  try {
    await until(() => readdirSync(directory).some((name) => name.startsWith('checkpoint-') && name !== older));
    const beganAt = performance.now();
    const before = await readStalls(ours, file);
    await until(() => checkpointNow(directory) !== older);
    const checkpointMs = performance.now() - beganAt;
    const during = await readStalls(ours, file);
    ended.abort();
    return { before, during, checkpointMs, slowestWriteMs: await writing };
  } finally {
    ended.abort();
    await writing.catch(() => undefined);
  }
}

/** The file that the store would start from. */
function checkpointNow(directory: string): string | undefined {
  const { manifest } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as {
    manifest: { checkpoint?: { file: string } };
  };
  return manifest.checkpoint?.file;
}
