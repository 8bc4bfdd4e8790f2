/** From nothing to ready: the daemon over a data directory, against a program that reads and parses the same rows and does nothing with them. */
import { start } from '../servers.ts';
import type { Case } from '../bench.ts';
import { median, pairedRatio, rotated } from '../rounds.ts';

const PARSE = `
const { readdirSync, readFileSync } = require('node:fs');
const [directory] = process.argv.slice(1);
const kept = readdirSync(directory).map((name) => JSON.parse(readFileSync(directory + '/' + name, 'utf8')));
console.log(JSON.stringify({ url: 'http://127.0.0.1:' + kept.length }));
setInterval(() => kept, 60_000);
`;
const TIMES_PARSE = 12;

export const startCase: Case = {
  name: 'start',
  about: 'start-up until ready',
  async run(bench) {
    const { copy, plain, bytes } = await bench.data();
    const full = copy();
    const arms = [() => bench.daemon({ directory: full }), () => start('JSON.parse', bench.cores, ['-e', PARSE, plain], {})];
    const times: number[][] = arms.map(() => []);
    for (let round = 0; round < bench.effort.rounds; round += 1) {
      bench.say(`start-up, round ${String(round + 1)}`);
      for (const index of rotated(arms.length, round)) {
        const arm = await arms[index]?.();
        if (!arm) continue;
        times[index]?.push(arm.readyMs);
        await arm.stop();
      }
    }
    const [ours = [], parse = []] = times;
    return [
      {
        case: 'start',
        what: `start with ${bench.rows.toLocaleString('en')} items over JSON.parse of their rows`,
        ours: { value: median(ours), unit: 'ms' },
        baseline: { value: median(parse), unit: 'ms' },
        ratio: pairedRatio(ours, parse),
        target: { of: 'ratio', atMost: TIMES_PARSE },
        detail: { ours, parse, bytes },
      },
    ];
  },
};
