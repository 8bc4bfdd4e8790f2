/**
 * Copies all data of a store into an empty one: files to PostgreSQL, back, or to another place of the same kind. No daemon may use either.
 *
 *   1. The target is marked with what identifies the source, so that no daemon starts on part of the data.
 *   2. Rows are copied (copy-rows.ts). If that is interrupted, a run with the same source finds the mark and continues.
 *   3. Both stores are read again and compared by digests (digest-rows.ts).
 *   4. If they are equal, the checks of `doctor` run on the target, and then the mark is removed.
 */
import { createHash } from 'node:crypto';
import { type DataCheck, checkData, iterateTenants } from '../../api/admin/data-checks/check-data.ts';
import { type Env, resolveDataDirectory } from '../../platform/local-paths.ts';
import { StoreUnavailable } from '../../domain/kernel/ports.ts';
import { DaemonError } from '../errors.ts';
import { MAX_SLEW_MS } from '../service/clocks/clock.ts';
import { parseStoreFlag } from '../store-address.ts';
import { copyPartition } from './copy-rows.ts';
import { openDatabase } from './database-endpoint.ts';
import { digestRows } from './digest-rows.ts';
import { openDirectory } from './directory-endpoint.ts';
import type { Endpoint, EndpointOptions } from './endpoint.ts';
import { SERVICE, type Partition, listPartitions, sumRows, toKey } from './partitions.ts';

export interface MigrationOptions {
  /** A directory, or a postgres:// address without a password. */
  readonly from: string;
  readonly to: string;
  readonly env: Env;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MigrationProgress) => void;
  /** Called with a sentence for the user. */
  readonly onNotice: (message: string) => void;
}

export interface MigrationProgress {
  readonly step: 'copied' | 'compared';
  readonly done: number;
  readonly total: number;
}

/** The comparison of one table and tenant. */
export interface ComparedTable {
  /** Null for tables of the service. */
  readonly tenant: string | null;
  readonly table: string;
  /** In the source. */
  readonly rows: number;
  /** Of the rows in the source. */
  readonly sha256: string;
  /** Whether the target has the same rows. */
  readonly ok: boolean;
}

export interface MigrationResult {
  readonly from: string;
  readonly to: string;
  /** Rows of the source. */
  readonly rows: number;
  /** Those that an interrupted run had copied before. */
  readonly resumedRows: number;
  /** Whether the copy is complete and all checks have passed. */
  readonly ok: boolean;
  readonly tables: readonly ComparedTable[];
  /** Of `doctor` on the target; none when the copy differs. */
  readonly checks: DataCheck['checks'];
}

/** Throws a DaemonError for what the user can change, and the reason of `signal` when that is aborted. */
export async function migrateData({ from, to, env, ...options }: MigrationOptions): Promise<MigrationResult> {
  const [fromPlace, toPlace] = [resolvePlace(from, '--from', env), resolvePlace(to, '--to', env)];
  if (fromPlace.name === toPlace.name) throw new DaemonError('USAGE', `--from and --to are the same: ${fromPlace.name}`);
  /** The time of transactions of the tenant that is copied. */
  let now = new Date();
  const clock = { now: () => now };
  const shared = { clock, env, onNotice: options.onNotice };
  await using source = await fromPlace.open({ ...shared, role: 'source' });
  await using target = await toPlace.open({ ...shared, role: 'target' });
  try {
    return await copy(source, target, { ...options, setTime: (time) => (now = time) });
  } catch (error) {
    if (error instanceof StoreUnavailable)
      throw new DaemonError('STORE', error.message, { hint: 'Run the same command again to continue', cause: error });
    throw error;
  }
}

interface Place {
  readonly name: string;
  open(options: EndpointOptions): Promise<Endpoint>;
}

function resolvePlace(text: string, flag: string, env: Env): Place {
  if (text === '') throw new DaemonError('USAGE', `Invalid ${flag}: it is empty`, { hint: 'Name a directory or a postgres:// address' });
  if (/^[a-z][a-z\d+.-]*:\/\//iu.test(text)) {
    const address = parseStoreFlag(text, flag);
    return { name: address, open: (options) => openDatabase(address, options) };
  }
  const directory = resolveDataDirectory(env, text);
  return { name: directory, open: (options) => openDirectory(directory, options) };
}

interface CopyParts extends Pick<MigrationOptions, 'signal' | 'onProgress' | 'onNotice'> {
  readonly setTime: (time: Date) => void;
}

async function copy(source: Endpoint, target: Endpoint, parts: CopyParts): Promise<MigrationResult> {
  const { signal, onProgress } = parts;
  if ((await source.readUnfinishedCopy()) !== undefined)
    throw new DaemonError('DATA_DIRECTORY', `The copy into ${source.name} is not complete`, {
      hint: 'Finish that `stockroom migrate` first',
    });
  const partitions = await listPartitions(source.store);
  const resumedRows = await prepareTarget(target, await identifyData(source, partitions));
  const total = sumRows(partitions);

  let done = resumedRows;
  const onCopied = (rows: number): void => onProgress({ step: 'copied', done: (done += rows), total });
  const onTenant = await createTimeSetter(source, parts);
  for (const partition of partitions)
    await copyPartition(partition, { source: source.store, target: target.store, onTenant, onCopied, signal });

  const tables = await compare(source, target, partitions, parts);
  const result = { from: source.name, to: target.name, rows: total, resumedRows, tables };
  if (!tables.every(({ ok }) => ok)) return { ...result, ok: false, checks: [] };
  const { ok, checks } = await checkData(target.store, iterateTenants(target.store));
  // Last: as long as the mark is there, the same command continues wherever it was interrupted.
  await target.removeUnfinishedCopyMark();
  return { ...result, ok, checks };
}

/** Identifies the data of a source by its version and the sizes of its tables. */
async function identifyData(source: Endpoint, partitions: readonly Partition[]): Promise<string> {
  const sizes = partitions.map((partition) => `${toKey(partition)} ${String(partition.rows)}`);
  const text = [await source.readDataVersion(), ...sizes.toSorted()].join('\n');
  return createHash('sha256').update(text).digest('hex');
}

/** Marks an empty target. Returns the number of rows that it has from a copy of the same data that was interrupted. */
async function prepareTarget(target: Endpoint, source: string): Promise<number> {
  const unfinished = await target.readUnfinishedCopy();
  const rows = sumRows(await listPartitions(target.store));
  if (unfinished === source) return rows;
  if (unfinished !== undefined)
    throw new DaemonError('TARGET_NOT_EMPTY', `${target.name} has an unfinished copy of other data, or the source has changed since`, {
      hint: 'Start again with an empty target',
    });
  if (rows > 0) throw new DaemonError('TARGET_NOT_EMPTY', `${target.name} already has data`, { hint: 'Use an empty target' });
  await target.markUnfinishedCopy(source);
  return 0;
}

/**
 * Commits of a tenant must get later times than its copied rows. A PostgreSQL store keeps the time of the last transaction, so the copy
 * runs at the time of the latest audit row.
 */
async function createTimeSetter(source: Endpoint, { setTime, onNotice }: CopyParts): Promise<(tenant: string) => void> {
  const started = new Date();
  const latest = new Map(
    (await source.store.readFirstRows('auditEvents', { descending: true })).map(({ tenant, row }) => [tenant, new Date(row.createdAt)]),
  );
  for (const [tenant, time] of latest)
    if (time.getTime() > started.getTime() + MAX_SLEW_MS)
      onNotice(
        `The latest change of tenant ${tenant} has the time ${time.toISOString()}; in PostgreSQL, changes have that time until then`,
      );
  return (tenant) => setTime(tenant === SERVICE ? started : (latest.get(tenant) ?? started));
}

async function compare(
  source: Endpoint,
  target: Endpoint,
  partitions: readonly Partition[],
  { onProgress, signal }: CopyParts,
): Promise<ComparedTable[]> {
  const copied = await listPartitions(target.store);
  const all = new Map([...copied, ...partitions].map((partition) => [toKey(partition), partition]));
  const total = sumRows(partitions) + sumRows(copied);
  let done = 0;
  const onRead = (rows: number): void => onProgress({ step: 'compared', done: (done += rows), total });
  const tables: ComparedTable[] = [];
  for (const partition of all.values()) {
    const [expected, actual] = [
      await digestRows(source.store, partition, { onRead, signal }),
      await digestRows(target.store, partition, { onRead, signal }),
    ];
    const { tenant, slug, table } = partition;
    const ok = expected.rows === actual.rows && expected.sha256 === actual.sha256;
    tables.push({ tenant: tenant === SERVICE ? null : (slug ?? tenant), table, ...expected, ok });
  }
  return tables;
}
