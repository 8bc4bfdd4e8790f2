/** The work of an import: checks all rows, then sends them and saves the progress. */
import type { Client, Reply } from '../../client/client.ts';
import type { ApiError } from '../../client/errors.ts';
import { approveStockDocument } from '../../contract/resources/stock-documents.ts';
import { type Checkpoint, type Counts, type ImportState, NO_COUNTS } from './files/checkpoint.ts';
import type { PostRecord } from './post-document.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { fromSafeText } from '../output/formats.ts';
import { type BulkFormat, type FileRecord, type Header, parseCsv, parseNdjson } from './rows/records.ts';
import type { RejectedRowsFile } from './files/rejected-rows.ts';
import { type ExistingRecords, readExisting } from './existing-records.ts';
import { CHANGES_SHOWN, type RowChanges, readChanges } from './rows/row-changes.ts';
import { addIdempotencyKeys } from './rows/row-keys.ts';
import type { RowProblem } from './bulk-resource.ts';
import type { BulkResource } from './bulk-resource.ts';
import { hasDryRun, sendDryRun } from './dry-run.ts';
import { type Rejection, rejectInvalid, rejectRefused, rejectSkipped, toRejectedRow } from './rejection.ts';
import { type Row, type RowOptions, parseRows } from './rows/rows.ts';
import { JobStopped, isRowError, sendAll, withRateLimit } from './send.ts';
import { type RowOutcome, planRow, sendRow } from './send-row.ts';
import type { ImportSource } from './files/source.ts';
import { decodeText } from './files/text-decoder.ts';

export interface ReadOptions {
  readonly source: ImportSource;
  readonly format: BulkFormat;
  readonly encoding: string | undefined;
  readonly delimiter: string | undefined;
  /** Whether the file is an export with `--csv-safe`. */
  readonly isCsvSafe: boolean;
  readonly rows: RowOptions;
}

const readRows = (
  bytes: AsyncIterable<Buffer>,
  { source, format, encoding, delimiter, isCsvSafe, rows }: ReadOptions,
): AsyncGenerator<Row> => {
  const text = decodeText(bytes, source.path, encoding);
  if (format !== 'csv') return parseRows(parseNdjson(text), rows);
  const records = parseCsv(text, delimiter);
  return parseRows(isCsvSafe ? removeMarks(records) : records, rows);
};

async function* removeMarks(records: AsyncIterable<Header | FileRecord>): AsyncGenerator<Header | FileRecord> {
  for await (const record of records)
    yield 'cells' in record && record.cells ? { ...record, cells: record.cells.map(fromSafeText) } : record;
}

export interface CheckResult {
  readonly rows: number;
  readonly wrong: number;
  /** The first problems. */
  readonly problems: readonly RowProblem[];
  /** The fields that at least one row has. */
  readonly fields: readonly string[];
}

/** Number of problems that are reported. */
export const PROBLEMS_KEPT = 20;

/** Reads and checks the whole file. `prefix`: also compute the digest of so many bytes. `onRow` is called for each row. */
export async function checkAll(readOptions: ReadOptions, prefix: number, onRow: (row: Row) => void): Promise<CheckResult> {
  const problems: RowProblem[] = [];
  let rows = 0;
  let count = 0;
  const fields = new Set<string>();
  for await (const row of readRows(readOptions.source.readForCheck(prefix), readOptions)) {
    rows += 1;
    onRow(row);
    for (const field of [...Object.keys(row.value), ...Object.keys(row.renamed)]) fields.add(field);
    if (row.problems.length === 0) continue;
    count += 1;
    problems.push(...row.problems.slice(0, PROBLEMS_KEPT - problems.length));
  }
  return { rows, wrong: count, problems, fields: [...fields] };
}

interface PlanOptions {
  readonly client: Client;
  readonly checked: CheckResult;
  /** Whether new documents would be posted. */
  readonly isPosted: boolean;
  readonly onRead: SendRowsOptions['onRead'];
  /** Called for each row that would be rejected, and for each document that could not be posted later. */
  readonly onRejected: (rejection: Rejection) => void;
  /** Called for the first rows that would change their record. */
  readonly onChange: (changes: RowChanges) => void;
  /** Called with the reply to each dry run of a new record. */
  readonly onDryRun: (reply: Reply, row: Row) => void;
}

/** Counts what the rows would change: compares them with the records of `--upsert`, or asks the service for dry runs. */
export async function planRows(reading: ReadOptions, options: PlanOptions): Promise<Counts> {
  const { client, checked, isPosted, onRead, onRejected, onChange, onDryRun } = options;
  const { resource, upsert } = reading.rows;
  const counts: Counts = { ...NO_COUNTS };
  const { fields, rows } = checked;
  const existing = upsert === undefined ? undefined : await readExisting({ resource, upsert, fields, rows, client, onRead });
  for await (const row of readRows(reading.source.readForSending(), reading)) {
    const plan = await planRow(row, { resource, upsert, existing, request: (perform) => perform(client) });
    if (plan.kind === 'skipped') onRejected(rejectSkipped(row, plan.error));
    if (plan.kind === 'update' && counts.updated < CHANGES_SHOWN) onChange(await readChanges(client, resource, row, plan));
    const error = plan.kind === 'create' && hasDryRun(resource) ? await tryRow(row) : undefined;
    if (error) onRejected(rejectRefused(row, error, resource));
    const isRefused = error !== undefined && (isPosted || !POSTING_CODES.has(error.code));
    counts[isRefused ? 'refused' : PLANNED_COUNTS[plan.kind]] += 1;
  }
  return counts;

  async function tryRow(row: Row): Promise<ApiError | undefined> {
    try {
      onDryRun(await sendDryRun(client, resource, row), row);
      return undefined;
    } catch (error) {
      if (!isRowError(error)) throw error;
      return error;
    }
  }
}

/** Errors of posting a document, of which a draft can be left. */
const POSTING_CODES: ReadonlySet<string> = new Set(approveStockDocument.errors);

const PLANNED_COUNTS = { create: 'created', update: 'updated', unchanged: 'unchanged', skipped: 'refused' } as const;

export interface SendRowsOptions {
  readonly reading: ReadOptions;
  readonly clients: readonly Client[];
  readonly limiter: RateLimiter;
  readonly signal: AbortSignal;
  /** The saved state, or that of a new import. */
  readonly state: ImportState;
  /** Number of rows that were checked, and the fields that they have. */
  readonly total: number;
  readonly fields: readonly string[];
  readonly checkpoint: Checkpoint | undefined;
  readonly post: PostRecord | undefined;
  readonly refused: RejectedRowsFile;
  readonly onProgress: (rows: number) => void;
  readonly onRejected: (rejection: Rejection) => void;
  /** Called with the number of each document that was created. */
  readonly onDocument: (documentNumber: string) => void;
  /** Called while the records are read that rows may update. */
  readonly onRead: (count: number, total: number) => void;
}

/** Sends the rows after those of the state. Returns the new state, also if it was stopped or failed. */
export async function sendRows(sending: SendRowsOptions): Promise<{ state: ImportState; failure?: { error: unknown } }> {
  const { reading, clients, limiter, signal, total, fields, checkpoint, post, refused, onProgress, onRejected, onDocument } = sending;
  const { job } = sending.state;
  // A checkpoint of an earlier release has no count of unchanged rows.
  const counts: Counts = { ...NO_COUNTS, ...sending.state.counts };
  let rows = sending.state.rows;
  const state = (): ImportState => ({ ...sending.state, rows, counts, errorsBytes: refused.bytes, at: new Date().toISOString() });
  const { resource, upsert } = reading.rows;
  try {
    const existing = upsert === undefined ? undefined : await readExistingRecords(sending, upsert, fields);
    await sendAll({
      rows: dropPartialLastRow(
        skipRows(addIdempotencyKeys(readRows(reading.source.readForSending(), reading), job), rows),
        total,
        reading.source,
      ),
      clients,
      limiter,
      signal,
      send: async (row, request): Promise<RowOutcome | Invalid> => {
        if (row.problems.length > 0) return { kind: 'invalid' };
        return sendRow(row, { resource, upsert, request, existing, post });
      },
      onResult(row, outcome) {
        const rejection = getRejection(row, outcome, upsert === undefined ? resource : undefined);
        if (rejection) {
          refused.add(toRejectedRow(row, rejection));
          onRejected(rejection);
        }
        if (outcome.kind === 'created' && outcome.document !== undefined) onDocument(outcome.document);
        counts[outcome.kind === 'skipped' || outcome.kind === 'invalid' ? 'refused' : outcome.kind] += 1;
        rows = row.number;
        checkpoint?.save(state);
        onProgress(rows);
      },
    });
    return { state: state() };
  } catch (error) {
    return error instanceof JobStopped ? { state: state() } : { state: state(), failure: { error } };
  }
}

interface Invalid {
  readonly kind: 'invalid';
}

/** `creating`: the resource, if records that exist are not changed. */
function getRejection(row: Row, outcome: RowOutcome | Invalid, creating: BulkResource | undefined): Rejection | undefined {
  switch (outcome.kind) {
    case 'invalid':
      return rejectInvalid(row);
    case 'skipped':
      return rejectSkipped(row, outcome.error);
    case 'refused':
      return rejectRefused(row, outcome.error, creating);
    default:
      return undefined;
  }
}

/** Reads the records that rows may update, within the rate limit. */
function readExistingRecords(sending: SendRowsOptions, upsert: string, fields: readonly string[]): Promise<ExistingRecords> {
  const { reading, clients, limiter, signal, total, onRead } = sending;
  const [client] = clients;
  if (!client) throw new TypeError('an import has at least one client');
  return readExisting({
    resource: reading.rows.resource,
    upsert,
    fields,
    rows: total - sending.state.rows,
    client: withRateLimit(client, limiter, () => signal.aborted),
    onRead,
  });
}

async function* skipRows<R extends Row>(rows: AsyncIterable<R>, done: number): AsyncGenerator<R> {
  for await (const row of rows) if (row.number > done) yield row;
}

/** Omits the last row if the file has grown since and the row had no line end: it was incomplete. */
async function* dropPartialLastRow<R extends Row>(rows: AsyncIterable<R>, total: number, source: ImportSource): AsyncGenerator<R> {
  for await (const row of rows) {
    if (row.number === total && source.endsMidLine && (await source.getGrowth()) > 0) return;
    yield row;
  }
}
