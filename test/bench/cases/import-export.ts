/** Imports and exports as whole processes: rows per second, the growth of memory with the file, and exports beside curl. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAGE_SIZE_MAX } from '../../../src/contract/limits.ts';
import { isolated } from '../servers.ts';
import { type Bench, type Case, NotHere } from '../bench.ts';
import type { Finding } from '../report.ts';
import { median, pairedRatio, rotated } from '../rounds.ts';

const RUN = fileURLToPath(new URL('../../../bin/run.js', import.meta.url));
const IMPORTED = 10_000;
const MARK = 'resources ';
/** Loaded before the command line: prints the memory and CPU time of the process at its end. */
const TELL = `data:text/javascript,process.on('exit',()=>{const{maxRSS,userCPUTime,systemCPUTime}=process.resourceUsage();process.stderr.write('\\n${MARK}'+JSON.stringify({maxRSS,cpu:userCPUTime+systemCPUTime})+'\\n')})`;

interface Ran {
  readonly ms: number;
  readonly rssBytes: number;
  readonly cpuMicros: number;
}

export const bulkCase: Case = {
  name: 'bulk',
  about: 'import and export of files',
  async run(bench) {
    const [small, large] = [bench.rows / 10, bench.rows];
    const { keys, copy } = await bench.data(large);
    const fewer = await bench.data(small);
    return bench.using([bench.daemon({ directory: copy() }), bench.daemon({ directory: fewer.copy() })], async (daemon, little) => {
      const at = (url: string, key: string | undefined) => ({ STOCKROOM_URL: url, STOCKROOM_API_KEY: key ?? '' });
      const here = at(daemon.url, keys[0]);
      return [
        ...exports(bench, here, at(little.url, fewer.keys[0]), large),
        // Last: it makes rows.
        ...imports(bench, here),
      ];
    });
  },
};

function imports(bench: Bench, target: Readonly<Record<string, string>>): Finding[] {
  const runs: Ran[] = [];
  for (let round = 0; round < bench.effort.rounds; round += 1) {
    bench.say(`import of ${String(IMPORTED)}, run ${String(round + 1)}`);
    runs.push(stockroom(bench, target, ['items', 'import', csvFile(bench, `r${String(round)}`, IMPORTED)]));
  }
  const rates = runs.map(({ ms }) => (IMPORTED / ms) * 1000);
  bench.say(`import of ${String(bench.rows)}`);
  const long = stockroom(bench, target, ['items', 'import', csvFile(bench, 'long', bench.rows)]);
  const rss = median(runs.map(({ rssBytes }) => rssBytes));
  return [
    {
      case: 'import',
      what: `\`items import\` of ${String(IMPORTED)} rows, start-up and check included`,
      ours: { value: median(rates), unit: '/s' },
      target: { of: 'ours', atLeast: 1_500 },
      detail: { runs },
    },
    {
      case: 'import-memory',
      what: `most memory of an import of ${String(bench.rows)} rows, over one of ${String(IMPORTED)}`,
      ours: { value: long.rssBytes, unit: 'B' },
      baseline: { value: rss, unit: 'B' },
      ratio: long.rssBytes / rss,
      target: { of: 'ratio', atMost: 1.3 },
      detail: { long },
    },
  ];
}

function exports(
  bench: Bench,
  target: Readonly<Record<string, string>>,
  little: Readonly<Record<string, string>>,
  rows: number,
): Finding[] {
  const pages = Math.ceil(rows / PAGE_SIZE_MAX);
  const url = `${target['STOCKROOM_URL'] ?? ''}/v1/items?sort=created_at&page_size=${String(PAGE_SIZE_MAX)}&page=[1-${String(pages)}]`;
  const out = join(bench.work, 'export');
  const arms = [
    () => curl(['-s', '-f', '-H', `x-api-key: ${target['STOCKROOM_API_KEY'] ?? ''}`, url, '-o', `${out}.curl`]),
    () => stockroom(bench, target, ['items', 'export', '--out', `${out}.ndjson`]),
    () => stockroom(bench, target, ['items', 'export', '--out', `${out}.csv`]),
    () => stockroom(bench, little, ['items', 'export', '--out', `${out}.little.csv`]),
  ];
  const runs: Ran[][] = arms.map(() => []);
  for (let round = -1; round < bench.effort.rounds; round += 1) {
    bench.say(`export of ${String(rows)}, run ${String(round + 2)}`);
    for (const index of rotated(arms.length, round + 1)) {
      const ran = arms[index]?.();
      if (ran && round >= 0) runs[index]?.push(ran);
    }
  }
  const [bare = [], ndjson = [], csv = [], less = []] = runs;
  const times = (list: readonly Ran[]) => list.map(({ ms }) => ms);
  const over = (name: string, format: string, ours: Ran[]): Finding => ({
    case: name,
    what: `\`items export\` of ${String(rows)} rows as ${format} over curl fetching the same pages`,
    ours: { value: median(times(ours)), unit: 'ms' },
    baseline: { value: median(times(bare)), unit: 'ms' },
    ratio: pairedRatio(times(ours), times(bare)),
    target: { of: 'ratio', atMost: 1.5 },
    detail: { ours, curl: bare },
  });
  const [most, least] = [csv, less].map((list) => median(list.map(({ rssBytes }) => rssBytes))) as [number, number];
  return [
    over('export-ndjson', 'NDJSON', ndjson),
    over('export-csv', 'CSV', csv),
    {
      case: 'export-memory',
      what: `most memory of an export of ${String(rows)} rows, over one of a tenth`,
      ours: { value: most, unit: 'B' },
      baseline: { value: least, unit: 'B' },
      ratio: most / least,
      target: { of: 'ratio', atMost: 1.3 },
    },
  ];
}

function csvFile({ work }: Bench, prefix: string, rows: number): string {
  const path = join(work, `${prefix}.csv`);
  const lines = Array.from(
    { length: rows },
    (_, at) => `"Part ${String(at)}, zinc",${prefix}-${String(at)},${String(at % 100)}.10,material,bulk\n`,
  );
  writeFileSync(path, `name,sku,salePrice,itemType,notes\n${lines.join('')}`);
  return path;
}

function stockroom(bench: Bench, target: Readonly<Record<string, string>>, args: readonly string[]): Ran {
  const env = { ...process.env, ...isolated(join(bench.work, 'home')), ...target };
  const { ran, ms } = timed(() =>
    spawnSync(process.execPath, ['--import', TELL, RUN, ...args], { env, encoding: 'utf8', cwd: bench.work }),
  );
  const usageLine = ran.stderr.split('\n').find((line) => line.startsWith(MARK));
  if (ran.status !== 0 || usageLine === undefined) throw new Error(`${args.join(' ')} ended with ${String(ran.status)}: ${ran.stderr}`);
  const { maxRSS, cpu } = JSON.parse(usageLine.slice(MARK.length)) as { maxRSS: number; cpu: number };
  return { ms, rssBytes: maxRSS * 1024, cpuMicros: cpu };
}

function curl(args: readonly string[]): Ran {
  const { ran, ms } = timed(() => spawnSync('curl', args, { encoding: 'utf8' }));
  if (ran.error && 'code' in ran.error && ran.error.code === 'ENOENT') throw new NotHere('curl is not installed');
  if (ran.status !== 0) throw new Error(`curl ended with ${String(ran.status)}: ${ran.stderr}`);
  return { ms, rssBytes: 0, cpuMicros: 0 };
}

function timed(run: () => SpawnSyncReturns<string>): { ran: SpawnSyncReturns<string>; ms: number } {
  const startedAt = performance.now();
  const ran = run();
  return { ran, ms: performance.now() - startedAt };
}
