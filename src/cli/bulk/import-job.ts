/** The work of an import: checks all rows, then sends them and saves the progress. */
import type { Client } from '../../client/client.ts';
import type { ApiError } from '../../client/errors.ts';
import { IDEMPOTENT_REPLAYED } from '../../contract/headers.ts';
import { toRequest } from '../../client/request.ts';
import { usageError } from '../errors/failure.ts';
import type { Checkpoint, Counts, ImportState } from './checkpoint.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { type BulkFormat, parseCsv, parseNdjson } from './records.ts';
import type { RejectedRowsFile } from './rejected-rows.ts';
import { type BulkResource, type Row, type RowOptions, type RowProblem, parseRows } from './rows.ts';
import { type Outcome, type SendRequest, isRowError, sendAll } from './send.ts';
import type { ImportSource } from './source.ts';
import { decodeText } from './text-decoder.ts';

export interface ReadOptions {
  readonly source: ImportSource;
  readonly format: BulkFormat;
  readonly encoding: string | undefined;
  readonly delimiter: string | undefined;
  readonly rows: RowOptions;
}

const readRows = (bytes: AsyncIterable<Buffer>, { source, format, encoding, delimiter, rows }: ReadOptions): AsyncGenerator<Row> => {
  const text = decodeText(bytes, source.path, encoding);
  return parseRows(format === 'csv' ? parseCsv(text, delimiter) : parseNdjson(text), rows);
};

export interface CheckResult {
  readonly rows: number;
  readonly wrong: number;
  /** The first problems. */
  readonly problems: readonly RowProblem[];
}

const PROBLEMS_KEPT = 20;

/** Reads and checks the whole file. `prefix`: also compute the digest of so many bytes. `onRow` is called for each row. */
export async function checkAll(readOptions: ReadOptions, prefix: number, onRow: (row: Row) => void): Promise<CheckResult> {
  const problems: RowProblem[] = [];
  let rows = 0;
  let count = 0;
  for await (const row of readRows(readOptions.source.readForCheck(prefix), readOptions)) {
    rows += 1;
    onRow(row);
    if (row.problems.length === 0) continue;
    count += 1;
    problems.push(...row.problems.slice(0, PROBLEMS_KEPT - problems.length));
  }
  return { rows, wrong: count, problems };
}

/** Formats the problems of a row that was not sent like an error of the service. */
export const problemsAsError = (problems: readonly RowProblem[]): unknown => ({
  code: 'VALIDATION_FAILED',
  message: problems.map(({ message }) => message).join('; '),
});

export interface SendRowsOptions {
  readonly reading: ReadOptions;
  readonly clients: readonly Client[];
  readonly limiter: RateLimiter;
  readonly signal: AbortSignal;
  /** The saved state, or that of a new import. */
  readonly state: ImportState;
  /** Number of rows that were checked. */
  readonly total: number;
  readonly checkpoint: Checkpoint | undefined;
  readonly refused: RejectedRowsFile;
  readonly onProgress: (rows: number) => void;
}

/** Sends the rows after those of the state. Returns the new state, also if it was stopped or failed. */
export async function sendRows(sending: SendRowsOptions): Promise<{ state: ImportState; failure?: { error: unknown } }> {
  const { reading, clients, limiter, signal, total, checkpoint, refused, onProgress } = sending;
  const { job } = sending.state;
  const counts: Counts = { ...sending.state.counts };
  let rows = sending.state.rows;
  const state = (): ImportState => ({ ...sending.state, rows, counts, errorsBytes: refused.bytes, at: new Date().toISOString() });
  const { resource, upsert } = reading.rows;
  try {
    await sendAll({
      rows: dropPartialLastRow(skipRows(readRows(reading.source.readForSending(), reading), rows), total, reading.source),
      clients,
      limiter,
      signal,
      send: async (row, request): Promise<Outcome | Skipped> => {
        if (row.problems.length > 0) return { kind: 'skipped' };
        return sendRow(row, { resource, upsert, job, request });
      },
      onResult(row, outcome) {
        if (outcome.kind === 'skipped') refused.add({ line: row.line, body: row.body, error: problemsAsError(row.problems) });
        if (outcome.kind === 'refused') refused.add({ line: row.line, body: row.body, error: toErrorJson(outcome.error) });
        counts[outcome.kind === 'skipped' ? 'refused' : outcome.kind] += 1;
        rows = row.number;
        checkpoint?.save(state);
        onProgress(rows);
      },
    });
    return { state: state() };
  } catch (error) {
    return { state: state(), failure: { error } };
  }
}

/** A row that was not sent, because it is invalid. */
interface Skipped {
  readonly kind: 'skipped';
}

async function* skipRows(rows: AsyncIterable<Row>, done: number): AsyncGenerator<Row> {
  for await (const row of rows) if (row.number > done) yield row;
}

/** Omits the last row if the file has grown since and the row had no line end: it was incomplete. */
async function* dropPartialLastRow(rows: AsyncIterable<Row>, total: number, source: ImportSource): AsyncGenerator<Row> {
  for await (const row of rows) {
    if (row.number === total && source.endsMidLine && (await source.getGrowth()) > 0) return;
    yield row;
  }
}

interface SendRowOptions {
  readonly resource: BulkResource;
  readonly upsert: string | undefined;
  readonly job: string;
  readonly request: SendRequest;
}

/** Creates the record; with `--upsert` updates the one with the same value. */
async function sendRow(row: Row, { resource, upsert, job, request }: SendRowOptions): Promise<Outcome> {
  const { create, update, list } = resource;
  const { body, key } = row;
  const idempotencyKey = `${job}-${String(row.number)}`;
  const toOutcome = (headers: Readonly<Record<string, string | undefined>>, kind: 'created' | 'updated'): Outcome => ({
    kind: headers[IDEMPOTENT_REPLAYED] === 'true' ? 'repeated' : kind,
  });
  try {
    const { headers } = await request((client) => client.send({ ...toRequest(create), body }, { idempotencyKey }));
    return toOutcome(headers, 'created');
  } catch (error) {
    if (!isRowError(error)) throw error;
    if (upsert === undefined || error.code !== 'DUPLICATE_VALUE' || error.details?.['field'] !== upsert) return { kind: 'refused', error };
    try {
      const existingId = error.details['existingId'];
      const id = typeof existingId === 'string' ? existingId : await findExistingId();
      const [param = ''] = Object.keys(update.params?.properties ?? {});
      const { path } = toRequest(update, { params: { [param]: id } });
      const { headers } = await request((client) =>
        client.send({ method: update.method, path, body }, { idempotencyKey: `${idempotencyKey}-update` }),
      );
      return toOutcome(headers, 'updated');
    } catch (refusal) {
      if (!isRowError(refusal)) throw refusal;
      return { kind: 'refused', error: refusal };
    }
  }
  async function findExistingId(): Promise<string> {
    const reply = await request((client) => client.perform(list, { query: { [upsert ?? '']: key } }));
    const [found] = (reply.body as { data: { id: string }[] }).data;
    if (!found) throw usageError(`The service rejects ${upsert ?? ''} "${key ?? ''}" as a duplicate, but finds no record with it`);
    return found.id;
  }
}

const toErrorJson = ({ code, message, status, fields, details, requestId }: ApiError): unknown => ({
  code,
  message,
  status,
  ...(fields === null ? {} : { fields }),
  ...(details === null ? {} : { details }),
  requestId,
});
