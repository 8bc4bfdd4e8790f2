/** A start after `kill -9` during heavy writes, against a clean start of the same data, and what replaying the journal costs. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Case } from '../bench.ts';
import { cpuMicros } from '../machine.ts';
import { median, pairedRatio, rotated } from '../rounds.ts';
import { createItem, updateItem } from '../requests.ts';
import type { Arm } from '../servers.ts';

const WRITERS = 64;
/** Some 80,000 creates. */
const CREATE_MS = 24_000;
const UPDATE_MS = 6_000;
const QUICK_MS = 500;
const BYTES_PER_MB = 1_000_000;
const ZEROS_BYTES = 1_000_000;

export const recoveryCase: Case = {
  name: 'recovery',
  about: 'start-up after kill -9, over a clean start',
  async run(bench) {
    const { copy } = await bench.data();
    const [killed, emptied, clean] = [copy(), join(bench.work, 'recovery-emptied'), join(bench.work, 'recovery-clean')];
    await writeAndKill(bench, killed);
    cpSync(killed, clean, { recursive: true });
    await (await bench.daemon({ directory: clean })).stop();
    cpSync(killed, emptied, { recursive: true });
    const megabytes = emptyJournal(emptied) / BYTES_PER_MB;
    const starts: { readonly readyMs: number[]; readonly cpuMs: number[] }[] = Array.from({ length: 3 }, () => ({
      readyMs: [],
      cpuMs: [],
    }));
    for (let round = 0; round < bench.effort.rounds; round += 1) {
      bench.say(`recovery, round ${String(round + 1)}`);
      for (const index of rotated(3, round)) {
        const directory = join(bench.work, `recovery-${String(round)}-${String(index)}`);
        // A start ends with a checkpoint, so a journal serves once. The others are copied, too, because a start from new files takes longer.
        cpSync([killed, clean, emptied][index]!, directory, { recursive: true });
        const arm = await bench.daemon({ directory });
        starts[index]!.readyMs.push(arm.readyMs);
        starts[index]!.cpuMs.push((cpuMicros(arm.pid) ?? Number.NaN) / 1_000);
        await arm.stop();
        rmSync(directory, { recursive: true });
      }
    }
    const [recovered, cleanly, unjournaled] = starts as [(typeof starts)[0], (typeof starts)[0], (typeof starts)[0]];
    const cpuPerMegabyte = (median(recovered.cpuMs) - median(unjournaled.cpuMs)) / megabytes;
    return [
      {
        case: 'recovery',
        what: `start-up after kill -9 with ${megabytes.toFixed(0)} MB of journal, over a clean start of the same data`,
        ours: { value: median(recovered.readyMs), unit: 'ms' },
        baseline: { value: median(cleanly.readyMs), unit: 'ms' },
        ratio: pairedRatio(recovered.readyMs, cleanly.readyMs),
        target: { of: 'ratio', atMost: 2 },
        detail: { recovered, cleanly, unjournaled, megabytes },
      },
      {
        case: 'recovery',
        what: 'CPU per megabyte of journal replayed',
        ours: { value: cpuPerMegabyte, unit: 'ms' },
        target: { of: 'ours', atMost: 8 },
      },
    ];
  },
};

/** Creates and updates items from many connections, and kills the daemon in the middle of it. */
async function writeAndKill(bench: Bench, directory: string): Promise<void> {
  const { keys } = await bench.data();
  const write = async (arm: Arm, shots: ReturnType<typeof createItem>, measureMs: number): Promise<void> => {
    const job = { connections: WRITERS, shots, port: arm.port, pid: arm.pid, warmupMs: 0 };
    await bench.load.run({ ...job, measureMs: bench.quick ? QUICK_MS : measureMs });
  };
  // Not `bench.using`, which removes the copies at its end.
  const arm = await bench.daemon({ directory });
  try {
    await write(arm, createItem(keys), CREATE_MS);
    await write(arm, updateItem(keys, bench.rows), UPDATE_MS);
  } finally {
    process.kill(arm.pid, 'SIGKILL');
    await arm.stop();
  }
}

/** Removes all records from the open segment of a journal, and returns their bytes. What is left is the last checkpoint. */
function emptyJournal(directory: string): number {
  const [, file = ''] = readdirSync(directory)
    .filter((name) => name.startsWith('journal-'))
    .map((name) => [Number(/\d+/u.exec(name)?.[0]), join(directory, name)] as const)
    .toSorted(([a], [b]) => b - a)[0] ?? [0];
  const bytes = readFileSync(file).findLastIndex((byte) => byte !== 0) + 1;
  // An open segment ends with zeros.
  writeFileSync(file, Buffer.alloc(ZEROS_BYTES));
  return bytes;
}
