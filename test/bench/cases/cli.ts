/** The command line as whole processes, against bare Node with an empty file. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isolated } from '../servers.ts';
import type { Case } from '../bench.ts';
import { median, pairedRatio, rotated } from '../rounds.ts';

const RUN = fileURLToPath(new URL('../../../bin/run.js', import.meta.url));
/** A process costs little, so there may be many. */
const PER_ROUND = 4;

export const cliCase: Case = {
  name: 'cli',
  about: 'start-up of the command line',
  async run(bench) {
    const { keys, copy } = await bench.data();
    const nothing = join(bench.work, 'empty.js');
    writeFileSync(nothing, '');
    return bench.using([bench.daemon({ directory: copy() })], async (daemon) => {
      const env = { ...process.env, ...isolated(join(bench.work, 'home')), STOCKROOM_URL: daemon.url, STOCKROOM_API_KEY: keys[0] };
      const commands = [[nothing], [RUN, '--version'], [RUN, 'items', 'list']];
      const times: number[][] = commands.map(() => []);
      // The first run of each fills the compile cache, as it does once on every machine.
      for (let round = -1; round < bench.effort.rounds * PER_ROUND; round += 1) {
        bench.say(`command line, run ${String(round + 2)}`);
        for (const index of rotated(commands.length, round + 1)) {
          const args = commands[index] as string[];
          const startedAt = performance.now();
          const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
          const took = performance.now() - startedAt;
          if (status !== 0 || (index > 0 && stdout === '')) throw new Error(`${args.join(' ')} ended with ${String(status)}: ${stderr}`);
          if (round >= 0) times[index]?.push(took);
        }
      }
      const [bare = [], version = [], list = []] = times;
      const over = (name: string, what: string, ours: number[], atMost: number) => ({
        case: name,
        what,
        ours: { value: median(ours), unit: 'ms' as const },
        baseline: { value: median(bare), unit: 'ms' as const },
        ratio: pairedRatio(ours, bare),
        target: { of: 'ratio' as const, atMost },
        detail: { ours, bare },
      });
      return [over('cli-version', '`--version` over bare node', version, 2), over('cli-list', '`items list` over bare node', list, 4)];
    });
  },
};
