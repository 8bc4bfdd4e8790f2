/** `startStockroom()` in a fresh process, as a test file has it: from loading the package until the service answers. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Case } from '../bench.ts';
import { median, pairedRatio, rotated } from '../rounds.ts';

const BUILT = pathToFileURL(fileURLToPath(new URL('../../../dist/testing.js', import.meta.url))).href;
const READY_WITHIN_MS = 300;
/** A process costs little, so there may be many. */
const PER_ROUND = 4;

/** Prints what loading and starting took; the demo only when it is asked for. */
const START = `
const began = performance.now();
const used = () => { const { user, system } = process.cpuUsage(); return user + system; };
const { startStockroom } = await import(${JSON.stringify(BUILT)});
const loaded = performance.now();
const before = used();
const stockroom = await startStockroom({ demo: process.argv[1] === 'demo' });
const ready = performance.now();
const cpu = used() - before;
const { data } = await stockroom.client.organization.get();
await stockroom.stop();
console.log(JSON.stringify({ name: data.name, load: loaded - began, start: ready - loaded, ready: ready - began, cpu }));
`;

interface Started {
  readonly name: string;
  readonly load: number;
  readonly start: number;
  readonly ready: number;
  /** Microseconds that the call used. */
  readonly cpu: number;
}

export const testingCase: Case = {
  name: 'testing',
  about: 'startStockroom() until ready',
  run(bench) {
    const arms = [
      ['-e', '0'],
      ['--input-type=module', '-e', START],
      ['--input-type=module', '-e', START, 'demo'],
    ];
    const wall: number[][] = arms.map(() => []);
    const started: Started[][] = arms.map(() => []);
    for (let round = 0; round < bench.effort.rounds * PER_ROUND; round += 1) {
      bench.say(`startStockroom, run ${String(round + 1)}`);
      for (const index of rotated(arms.length, round)) {
        const at = performance.now();
        const { status, stdout, stderr } = spawnSync(process.execPath, arms[index] ?? [], { encoding: 'utf8' });
        wall[index]?.push(performance.now() - at);
        if (status !== 0) throw new Error(`startStockroom ended with ${String(status)}: ${stderr}`);
        if (index > 0) started[index]?.push(JSON.parse(stdout) as Started);
      }
    }
    const [bare = [], whole = []] = wall;
    const [, plain = [], demo = []] = started;
    const call = (name: string, what: string, runs: readonly Started[]) => ({
      case: name,
      what: `${what} until ready`,
      ours: { value: median(runs.map(({ start }) => start)), unit: 'ms' as const, cpu: median(runs.map((run) => run.cpu)) },
      baseline: { value: median(bare), unit: 'ms' as const },
      ratio: pairedRatio(
        runs.map(({ start }) => start),
        bare,
      ),
      detail: { runs, bare },
    });
    return Promise.resolve([
      { ...call('testing', '`startStockroom()`, over a whole `node -e 0`,', plain), target: { of: 'ours', atMost: READY_WITHIN_MS } },
      call('testing-demo', '`startStockroom({ demo: true })`, over a whole `node -e 0`,', demo),
      {
        case: 'testing-process',
        what: 'a whole process that loads stockroom/testing, starts, asks once and stops, over `node -e 0`',
        ours: { value: median(whole), unit: 'ms' },
        baseline: { value: median(bare), unit: 'ms' },
        ratio: pairedRatio(whole, bare),
      },
    ]);
  },
};
