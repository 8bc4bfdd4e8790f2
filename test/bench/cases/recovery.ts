/** A start after `kill -9` during heavy writes, against a clean start of the same data. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Case } from '../bench.ts';
import { copyData } from '../copy-data.ts';
import { median, pairedRatio, rotated } from '../rounds.ts';
import { createItem, updateItem } from '../requests.ts';
import type { Arm } from '../servers.ts';

const WRITERS = 64;
/** Some 80,000 creates. */
const CREATE_MS = 24_000;
const UPDATE_MS = 6_000;
const QUICK_MS = 500;

export const recoveryCase: Case = {
  name: 'recovery',
  about: 'start-up after kill -9, over a clean start',
  async run(bench) {
    const { copy } = await bench.data();
    const [killed, clean] = [copy(), join(bench.work, 'recovery-clean')];
    await writeAndKill(bench, killed);
    copyData(killed, clean);
    await (await bench.daemon({ directory: clean })).stop();
    const readyMs: number[][] = [[], []];
    for (let round = 0; round < bench.effort.rounds; round += 1) {
      bench.say(`recovery, round ${String(round + 1)}`);
      for (const index of rotated(2, round)) {
        const directory = join(bench.work, `recovery-${String(round)}-${String(index)}`);
        // A start ends with a checkpoint, so a journal serves once. The other is copied, too, because a start from new files takes longer.
        copyData([killed, clean][index]!, directory);
        const arm = await bench.daemon({ directory });
        readyMs[index]!.push(arm.readyMs);
        await arm.stop();
        rmSync(directory, { recursive: true });
      }
    }
    const [recovered = [], cleanly = []] = readyMs;
    return [
      {
        case: 'recovery',
        what: 'start after kill -9 over a clean start',
        ours: { value: median(recovered), unit: 'ms' },
        baseline: { value: median(cleanly), unit: 'ms' },
        ratio: pairedRatio(recovered, cleanly),
        target: { of: 'ratio', atMost: 2 },
        detail: { recovered, cleanly },
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
