/** The store on PostgreSQL: against bare INSERTs, against the file store, and two daemons against one. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { runSql } from '../../support/postgres/sql.ts';
import type { Bench, Case } from '../bench.ts';
import type { Filled } from '../fill.ts';
import { NotHere } from '../bench.ts';
import type { Shot } from '../load-generator.ts';
import { residentBytes } from '../machine.ts';
import type { Finding } from '../report.ts';
import { createItem, listPages, readOne } from '../requests.ts';
import { measure, median, pairedRatio, rotated, startLoad } from '../rounds.ts';
import type { Arm } from '../servers.ts';
import { benchItem, tables } from '../store-rows.ts';
import { compared } from './http.ts';

const CONNECTIONS = 16;
const FEW_ROWS = 1_000;
const PAUSE_MS = 60_000;
/** A daemon returns memory when it has been idle for some seconds. */
const QUICK_PAUSE_MS = 15_000;
const MANY_ROWS = 1_000_000;
/** The pages that people open: the first hundred. */
const FIRST_ROWS = 5_000;
/** More than a daemon caches. */
const LISTED_ROWS = 60_000;

export const scaleCase: Case = {
  name: 'scale',
  about: 'the store on PostgreSQL',
  async run(bench) {
    await using server = await startPostgresServer({ durable: true });
    return [
      ...(await compareWithInsert(bench, server)),
      ...(await compareWithFiles(bench, server)),
      ...(await compareDaemons(bench, server)),
      ...(await measureMemory(bench, server)),
    ];
  },
};

let databases = 0;
async function createDatabase({ url }: PostgresServer): Promise<string> {
  const name = `bench_${String((databases += 1))}`;
  await runSql(url, `CREATE DATABASE ${name}`);
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

/** Adds a tenant with so many items to a database. */
async function fillDatabase(url: string, rows: number, slug = 'bench'): Promise<Filled> {
  const script = fileURLToPath(new URL('../fill.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, url, String(rows), slug]);
  await runSql(url, 'VACUUM ANALYZE');
  return JSON.parse(stdout) as Filled;
}

/** One row per transaction: through the store with its indexes, and as an INSERT into a table with nothing but a key. */
async function compareWithInsert(bench: Bench, server: PostgresServer): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [writers, atLeast] of [
    [16, 0.35],
    [64, 0.6],
  ] as const) {
    bench.say(`store on PostgreSQL, ${String(writers)} writers`);
    const store = await openPostgresStore({ url: await createDatabase(server), tables });
    const pool = new pg.Pool({ connectionString: await createDatabase(server), max: writers });
    await pool.query('CREATE TABLE rows (id text PRIMARY KEY, row json NOT NULL)');
    let [next, inserted] = [0, 0];
    const arms = [
      () => store.transact('bench', (tx) => tx.items.put(benchItem((next += 1)))),
      () => {
        const row = benchItem((inserted += 1));
        return pool.query({ name: 'insert', text: 'INSERT INTO rows VALUES ($1, $2)', values: [row.id, JSON.stringify(row)] });
      },
    ];
    const rates: number[][] = [[], []];
    for (let round = 0; round < bench.effort.rounds; round += 1) {
      for (const arm of rotated(arms.length, round)) rates[arm]!.push(await countPerSecond(arms[arm]!, writers, bench.effort.measureMs));
    }
    await store.close();
    await pool.end();
    findings.push({
      case: `scale-store-${String(writers)}`,
      what: `store on PostgreSQL, create with its indexes, one tenant, ${String(writers)} writers, over bare INSERT with as many connections`,
      ours: { value: median(rates[0]!), unit: '/s' },
      baseline: { value: median(rates[1]!), unit: '/s' },
      ratio: pairedRatio(rates[0]!, rates[1]!),
      target: { of: 'ratio', atLeast },
    });
  }
  return findings;
}

async function countPerSecond(work: () => Promise<unknown>, writers: number, milliseconds: number): Promise<number> {
  const startedAt = performance.now();
  let count = 0;
  const write = async (): Promise<void> => {
    while (performance.now() - startedAt < milliseconds) {
      await work();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return (count / (performance.now() - startedAt)) * 1_000;
}

interface Request {
  readonly name: string;
  readonly shots: (keys: readonly string[], rows: number) => Shot[];
  readonly hasTarget: boolean;
}

const REQUESTS: readonly Request[] = [
  { name: 'read one item', shots: readOne, hasTarget: true },
  { name: 'list one of the first 100 pages', shots: (keys, rows) => listPages(keys, Math.min(rows, FIRST_ROWS)), hasTarget: false },
  { name: 'list any page', shots: listPages, hasTarget: true },
  { name: 'durable create item', shots: createItem, hasTarget: true },
];

async function compareWithFiles(bench: Bench, server: PostgresServer): Promise<Finding[]> {
  const files = await bench.data();
  const url = await createDatabase(server);
  const { keys } = await fillDatabase(url, bench.rows);
  const ours = bench.daemon({ directory: join(bench.work, 'scale-daemon'), database: url });
  return bench.using([ours, bench.daemon({ directory: files.copy() })], async (onDatabase, onFiles) => {
    const findings: Finding[] = [];
    for (const { name, shots, hasTarget } of REQUESTS) {
      bench.say(`${name} on PostgreSQL`);
      const [mine = [], theirs = []] = await measure(
        bench.load,
        [
          { arm: onDatabase, job: { connections: CONNECTIONS, shots: shots(keys, bench.rows) } },
          { arm: onFiles, job: { connections: CONNECTIONS, shots: shots(files.keys, bench.rows) } },
        ],
        bench.effort,
      );
      const what = `${name}, ${String(CONNECTIONS)} connections, on PostgreSQL over the file store`;
      const { target, ...finding } = compared({ name: 'scale-daemon', what, target: { of: 'ratio', atLeast: 0.4 } }, mine, theirs);
      findings.push(hasTarget ? { ...finding, target: target! } : finding);
    }
    return findings;
  });
}

/** CPU per create of two daemons that work at the same time, each for a tenant of its own, over that of one daemon with one tenant. */
async function compareDaemons(bench: Bench, server: PostgresServer): Promise<Finding[]> {
  const url = await createDatabase(server);
  const fillings = [await fillDatabase(url, FEW_ROWS, 'left'), await fillDatabase(url, FEW_ROWS, 'right')];
  const shots = fillings.map(({ keys }) => createItem(keys));
  const otherLoad = startLoad();
  const start = (name: string) => bench.daemon({ directory: join(bench.work, name), database: url });
  try {
    return await bench.using([start('scale-left'), start('scale-right')], async (left, right) => {
      bench.say('two daemons on one database');
      const { warmupMs, measureMs } = bench.effort;
      const job = ({ port, pid }: Arm, at: number) => ({ port, pid, connections: CONNECTIONS / 2, shots: shots[at]!, warmupMs, measureMs });
      const [alone, together]: [number[], number[]] = [[], []];
      for (let round = 0; round < bench.effort.rounds; round += 1) {
        alone.push((await bench.load.run(job(left, 0))).cpu ?? Number.NaN);
        const both = await Promise.all([bench.load.run(job(left, 0)), otherLoad.run(job(right, 1))]);
        const requests = both[0].requests + both[1].requests;
        together.push(both.reduce((sum, load) => sum + (load.cpu ?? Number.NaN) * load.requests, 0) / requests);
      }
      return [
        {
          case: 'scale-two',
          what: 'CPU per create of two daemons with a tenant each, over one daemon with one tenant',
          ours: { value: median(together) / 1_000, unit: 'ms' },
          baseline: { value: median(alone) / 1_000, unit: 'ms' },
          ratio: pairedRatio(together, alone),
          target: { of: 'ratio', atMost: 1.25 },
        },
      ];
    });
  } finally {
    otherLoad.stop();
  }
}

async function measureMemory(bench: Bench, server: PostgresServer): Promise<Finding[]> {
  const rows = bench.quick ? bench.rows : MANY_ROWS;
  bench.say(`${rows.toLocaleString('en')} items on PostgreSQL`);
  const url = await createDatabase(server);
  const { keys } = await fillDatabase(url, rows);
  return bench.using([bench.daemon({ directory: join(bench.work, 'scale-memory'), database: url })], async (daemon) => {
    const shots = [...readOne(keys, rows), ...listPages(keys, Math.min(rows, LISTED_ROWS)), ...createItem(keys)];
    await measure(bench.load, [{ arm: daemon, job: { connections: CONNECTIONS, shots } }], bench.effort);
    const loaded = residentBytes(daemon.pid);
    await sleep(bench.quick ? QUICK_PAUSE_MS : PAUSE_MS);
    const idle = residentBytes(daemon.pid);
    if (loaded === undefined || idle === undefined) throw new NotHere('this system does not report the memory of a process (no /proc)');
    const what = `resident memory of a daemon with ${rows.toLocaleString('en')} items on PostgreSQL`;
    return [
      {
        case: 'scale-memory',
        what: `${what}, a minute after reads, lists and creates from ${String(CONNECTIONS)} connections`,
        ours: { value: idle, unit: 'B' },
      },
      {
        case: 'scale-memory-loaded',
        what: `${what}, at the end of that load`,
        ours: { value: loaded, unit: 'B' },
        target: { of: 'ours', atMost: 250_000_000 },
      },
    ];
  });
}
