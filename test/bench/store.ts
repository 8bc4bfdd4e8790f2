/**
 * The file store alone against node:sqlite and JSON.parse. Only the ratios of one run mean something.
 *   node --expose-gc test/bench/store.ts [--rows 100000] [--cases writers,open,memory,checkpoint,search,growth]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { PageQuery } from '../../src/domain/kernel/ports.ts';
import { openFileStore } from '../../src/store/file/index.ts';
import { type BenchItem, type Store, benchItem, fill, json, mixed, pick, tables } from './store-rows.ts';
import { bareSqlite, indexedSqlite } from './sqlite.ts';

export interface StoreFigure {
  readonly case: string;
  /** In the unit the case names. */
  readonly ours: number;
  readonly baseline?: number;
  /** Above 1: ours is better. */
  readonly ratio?: number;
}

const temporary = (): string => mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'stockroom-bench-'));
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]!;

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Writes per second of so many writers, for a while or until the rows have run out. */
async function rate(
  count: number,
  milliseconds: number,
  write: (row: BenchItem) => Promise<unknown>,
  rows: readonly BenchItem[],
): Promise<number> {
  let done = 0;
  const start = performance.now();
  const end = start + milliseconds;
  await Promise.all(
    Array.from({ length: count }, async () => {
      while (performance.now() < end && done < rows.length) await write(rows[done++]!);
    }),
  );
  return (done / (performance.now() - start)) * 1000;
}

async function writers(): Promise<StoreFigure[]> {
  const directory = temporary();
  const store = await openFileStore({ directory: join(directory, 'store'), tables });
  const sqlite = bareSqlite(join(directory, 'bare.db'));
  const indexed = indexedSqlite(join(directory, 'indexed.db'));
  const figures: StoreFigure[] = [];
  let next = 0;
  for (const count of [1, 16, 64]) {
    const [ours, theirs, alike]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < 7; round++) {
      const rows = Array.from({ length: count === 1 ? 3000 : 30_000 }, () => benchItem(next++));
      const arms = [
        async () => ours.push(await rate(count, 250, (row) => store.transact('t', (tx) => tx.items.put(row)), rows)),
        async () => theirs.push(await rate(count, 250, sqlite.write, rows)),
        async () => alike.push(await rate(count, 250, indexed.write, rows)),
      ];
      for (const arm of round % 2 ? arms : arms.reverse()) await arm();
    }
    for (const [what, others] of [
      ['', theirs],
      [' with the same indexes', alike],
    ] as const) {
      figures.push({
        case: `durable creates/s, ${count} writers, over node:sqlite${what}`,
        ours: median(ours),
        baseline: median(others),
        ratio: median(ours) / median(others),
      });
    }
  }
  sqlite.close();
  indexed.close();
  await store.close();
  rmSync(directory, { recursive: true });
  return figures;
}

/** Runs one measurement in a process of its own and returns what it printed. */
function apart(mode: string, directory: string): Record<string, number> {
  const text = execFileSync(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url), '--apart', mode, '--directory', directory], {
    encoding: 'utf8',
  });
  return JSON.parse(text) as Record<string, number>;
}

async function measureApart(mode: string, directory: string): Promise<Record<string, number>> {
  if (mode === 'parse') {
    const text = readFileSync(join(directory, 'rows.ndjson'), 'utf8').split('\n');
    const rows: unknown[] = [];
    const ms = await timed(() => {
      for (const line of text) rows.push(JSON.parse(line));
    });
    return { ms };
  }
  const before = process.memoryUsage.rss();
  let store: Store | undefined;
  const ms = await timed(async () => {
    store = await openFileStore({ directory: join(directory, 'store'), tables });
  });
  if (mode === 'open') return { ms };
  const indexed = await timed(() => store!.whenIndexed());
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 50));
  globalThis.gc?.();
  return { ms, indexed, bytes: process.memoryUsage.rss() - before };
}

async function opening(directory: string, rows: number): Promise<StoreFigure[]> {
  const [ours, parsed]: [number[], number[]] = [[], []];
  for (let round = 0; round < 5; round++) {
    ours.push(apart('open', directory)['ms']!);
    parsed.push(apart('parse', directory)['ms']!);
  }
  return [{ case: `open ${rows} rows, ms`, ours: median(ours), baseline: median(parsed), ratio: median(parsed) / median(ours) }];
}

function memory(directory: string, rows: number): StoreFigure[] {
  const { bytes, indexed } = apart('memory', directory);
  return [
    { case: `resident bytes per item, ${rows} rows, all indexes`, ours: bytes! / rows, baseline: 1100, ratio: (1100 * rows) / bytes! },
    { case: `search index complete after opening, ms`, ours: indexed! },
  ];
}

async function checkpointing(store: Store, rows: number): Promise<StoreFigure[]> {
  let next = rows;
  const load = { running: true };
  const write = async (): Promise<void> => {
    while (load.running) await store.transact('t', (tx) => tx.items.put(benchItem(next++)));
  };
  const writing = Promise.all(Array.from({ length: 16 }, write));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const pause = (milliseconds: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, milliseconds));
  await pause(1000);
  delay.enable();
  await pause(1500);
  delay.disable();
  const without = delay.max / 1e6;
  const stalls: number[] = [];
  let ms = 0;
  for (let round = 0; round < 3; round++) {
    delay.reset();
    delay.enable();
    ms = await timed(() => store.checkpoint());
    delay.disable();
    stalls.push(delay.max / 1e6);
    await pause(200);
  }
  load.running = false;
  await writing;
  const limit = rows > 300_000 ? 50 : 20;
  return [
    {
      case: `checkpoint of ${rows} rows under 16 writers: longest stall, ms`,
      ours: Math.max(...stalls),
      baseline: limit,
      ratio: limit / Math.max(...stalls),
    },
    { case: 'the same writers without a checkpoint: longest stall, ms', ours: without },
    { case: 'checkpoint takes, ms', ours: ms },
  ];
}

async function searching(store: Store, rows: number): Promise<StoreFigure[]> {
  await store.whenIndexed();
  const queries: string[] = [];
  for (let n = 0; n < 300; n++) {
    const row = benchItem(mixed(n) % rows);
    const words = row.name.split(' ');
    queries.push(
      pick(
        [
          row.sku,
          words[3]!,
          `${words[1]} ${words[2]}`,
          row.sku.slice(-4),
          words[0]!,
          row.name.slice(2, 12),
          'no such thing',
          words[0]!.slice(0, 2),
          String(n % 10),
          row.sku.slice(4, 9).toLowerCase(),
        ],
        n,
      ),
    );
  }
  const look = async (text: string): Promise<number> => {
    const query: PageQuery = { search: { text }, page: { number: 1, size: 50 } };
    return timed(() => store.read('t', (tx) => tx.items.listViewPage(json, query)));
  };
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    // A change between rounds: results remembered from the last round do not count.
    await store.transact('t', (tx) => tx.items.put(benchItem(round)));
    for (const text of queries) times.push(await look(text));
  }
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  return [
    { case: `search ${rows} rows, p50 ms`, ours: p50, baseline: 0.15, ratio: 0.15 / p50 },
    { case: `search ${rows} rows, p99 ms`, ours: p99, baseline: 8, ratio: 8 / p99 },
  ];
}

async function each(count: number, work: (n: number) => Promise<unknown>): Promise<number> {
  for (let n = 0; n < count / 4; n++) await work(n);
  return (
    ((await timed(async () => {
      for (let n = 0; n < count; n++) await work(n);
    })) /
      count) *
    1000
  );
}

async function costs(store: Store, rows: number): Promise<StoreFigure[]> {
  const page = (query: Partial<PageQuery>) => (): Promise<unknown> =>
    store.read('t', (tx) => tx.items.listViewPage(json, { page: { number: 1, size: 50 }, ...query }));
  const hot = benchItem(7).id;
  const inside = await store.read('t', async (tx) => each(100_000, () => tx.items.get(hot)));
  // In one transaction that is given up: what a create costs without its sync.
  const create = async (): Promise<number> => {
    let cost = 0;
    await store
      .transact('t', async (tx) => {
        const fresh = Array.from({ length: 2500 }, (_, n) => benchItem(rows + 1_000_000 + n));
        cost = await each(2000, (n) => tx.items.put(fresh[n]!));
        throw new Error('enough');
      })
      .catch(() => {});
    return cost;
  };
  return [
    { case: `get of a hot row inside a read, µs, ${rows} rows`, ours: inside },
    {
      case: `get of random rows, µs, ${rows} rows`,
      ours: await each(20_000, (n) => store.read('t', (tx) => tx.items.getView(json, benchItem(mixed(n) % rows).id))),
    },
    { case: `create before the sync, µs, ${rows} rows`, ours: await create() },
    { case: `first page of 50, µs, ${rows} rows`, ours: await each(5000, page({})) },
    {
      case: `page ${Math.floor(rows / 100)} of 50, µs, ${rows} rows`,
      ours: await each(2000, page({ page: { number: Math.floor(rows / 100), size: 50 } })),
    },
    {
      case: `first page of a type, µs, ${rows} rows`,
      ours: await each(1000, page({ where: [{ field: 'itemType', equals: 'material' }], orderBy: 'updated_at', descending: true })),
    },
    {
      case: `first page of type and state, µs, ${rows} rows`,
      ours: await each(
        500,
        page({
          where: [
            { field: 'itemType', equals: 'material' },
            { field: 'isActive', equals: false },
          ],
        }),
      ),
    },
  ];
}

/** Measures the store; `rows` of the large cases. */
export async function benchStore(
  rows = 100_000,
  cases: readonly string[] = ['writers', 'open', 'memory', 'search', 'growth', 'checkpoint'],
): Promise<StoreFigure[]> {
  const figures: StoreFigure[] = [];
  if (cases.includes('writers')) figures.push(...(await writers()));
  if (cases.includes('growth')) {
    const small = temporary();
    const store = await openFileStore({ directory: small, tables });
    await fill(store, 1000);
    figures.push(...(await costs(store, 1000)));
    await store.close();
    rmSync(small, { recursive: true });
  }
  const directory = temporary();
  let store: Store = await openFileStore({ directory: join(directory, 'store'), tables });
  await fill(store, rows);
  await store.close();
  if (cases.includes('open')) {
    const lines: string[] = [];
    for (let n = 0; n < rows; n++) lines.push(JSON.stringify(benchItem(n)));
    writeFileSync(join(directory, 'rows.ndjson'), lines.join('\n').slice(0, rows > 1_100_000 ? 0 : undefined));
    figures.push(...(await opening(directory, rows)));
  }
  if (cases.includes('memory')) figures.push(...memory(directory, rows));
  store = await openFileStore({ directory: join(directory, 'store'), tables });
  if (cases.includes('growth')) figures.push(...(await costs(store, rows)));
  if (cases.includes('search')) figures.push(...(await searching(store, rows)));
  if (cases.includes('checkpoint')) figures.push(...(await checkpointing(store, rows)));
  await store.close();
  rmSync(directory, { recursive: true });
  return figures;
}

if (import.meta.filename === process.argv[1]) {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '100000' },
      cases: { type: 'string' },
      apart: { type: 'string' },
      directory: { type: 'string' },
    },
  });
  if (values.apart !== undefined) process.stdout.write(JSON.stringify(await measureApart(values.apart, values.directory!)));
  else {
    for (const figure of await benchStore(Number(values.rows), values.cases?.split(','))) {
      const round = (value: number | undefined): string => (value === undefined ? '' : value.toPrecision(4));
      process.stdout.write(
        `${figure.case.padEnd(72)} ${round(figure.ours).padStart(10)} ${round(figure.baseline).padStart(10)} ${round(figure.ratio).padStart(8)}\n`,
      );
    }
  }
}
