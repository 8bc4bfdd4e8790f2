/** An import from the file to the summary: check every row, then send them; what is done is saved as it goes. */
import type { Client } from '../../client/client.ts';
import type { ApiError } from '../../client/errors.ts';
import { IDEMPOTENT_REPLAYED } from '../../contract/headers.ts';
import { requestOf } from '../../client/request.ts';
import { usage } from '../failure.ts';
import type { Checkpoint, Counts, ImportState } from './checkpoint.ts';
import type { Pace } from './pace.ts';
import { type BulkFormat, csvRecords, ndjsonRecords } from './records.ts';
import type { RefusedFile } from './refused.ts';
import { type Resource, type Row, type RowOptions, type RowProblem, rowsOf } from './rows.ts';
import { type Outcome, type Request, blamesTheRow, sendAll } from './send.ts';
import type { Source } from './source.ts';
import { textOf } from './text.ts';

export interface Reading {
  readonly source: Source;
  readonly format: BulkFormat;
  readonly encoding: string | undefined;
  readonly delimiter: string | undefined;
  readonly rows: RowOptions;
}

const rowsFrom = (bytes: AsyncIterable<Buffer>, { source, format, encoding, delimiter, rows }: Reading): AsyncGenerator<Row> => {
  const text = textOf(bytes, source.path, encoding);
  return rowsOf(format === 'csv' ? csvRecords(text, delimiter) : ndjsonRecords(text), rows);
};

export interface Checked {
  readonly rows: number;
  readonly wrong: number;
  /** The first of them. */
  readonly problems: readonly RowProblem[];
}

const PROBLEMS_KEPT = 20;

/** Reads and checks the whole file. `onRow` is told of each row. */
export async function checkAll(reading: Reading, prefix: number, onRow: (row: Row) => void): Promise<Checked> {
  const problems: RowProblem[] = [];
  let rows = 0;
  let count = 0;
  for await (const row of rowsFrom(reading.source.firstReading(prefix), reading)) {
    rows += 1;
    onRow(row);
    if (row.problems.length === 0) continue;
    count += 1;
    problems.push(...row.problems.slice(0, PROBLEMS_KEPT - problems.length));
  }
  return { rows, wrong: count, problems };
}

/** The reason of a row that was not sent, in the form of the service's own errors. */
export const problemsAsError = (problems: readonly RowProblem[]): unknown => ({
  code: 'VALIDATION_FAILED',
  message: problems.map(({ message }) => message).join('; '),
});

export interface Sending {
  readonly reading: Reading;
  readonly lanes: readonly Client[];
  readonly pace: Pace;
  readonly signal: AbortSignal;
  /** As saved, or from the beginning. */
  readonly state: ImportState;
  /** Rows that were checked. */
  readonly total: number;
  readonly checkpoint: Checkpoint | undefined;
  readonly refused: RefusedFile;
  readonly onSettled: (rows: number) => void;
}

/** Sends every row behind the state; returns the state as far as it came, also when it was stopped or failed. */
export async function sendRows(sending: Sending): Promise<{ state: ImportState; failure?: { error: unknown } }> {
  const { reading, lanes, pace, signal, total, checkpoint, refused, onSettled } = sending;
  const { job } = sending.state;
  const counts: Counts = { ...sending.state.counts };
  let rows = sending.state.rows;
  const state = (): ImportState => ({ ...sending.state, rows, counts, errorsBytes: refused.bytes, at: new Date().toISOString() });
  const { resource, upsert } = reading.rows;
  try {
    await sendAll({
      rows: wholeRows(behind(rowsFrom(reading.source.secondReading(), reading), rows), total, reading.source),
      lanes,
      pace,
      signal,
      send: async (row, request): Promise<Outcome | Skipped> => {
        if (row.problems.length > 0) return { kind: 'skipped' };
        return sendRow(row, { resource, upsert, job, request });
      },
      settle(row, outcome) {
        if (outcome.kind === 'skipped') refused.add({ line: row.line, body: row.body, error: problemsAsError(row.problems) });
        if (outcome.kind === 'refused') refused.add({ line: row.line, body: row.body, error: errorOf(outcome.error) });
        counts[outcome.kind === 'skipped' ? 'refused' : outcome.kind] += 1;
        rows = row.number;
        checkpoint?.save(state);
        onSettled(rows);
      },
    });
    return { state: state() };
  } catch (error) {
    return { state: state(), failure: { error } };
  }
}

/** A row that the check refused and that was therefore not sent. */
interface Skipped {
  readonly kind: 'skipped';
}

async function* behind(rows: AsyncIterable<Row>, done: number): AsyncGenerator<Row> {
  for await (const row of rows) if (row.number > done) yield row;
}

/** Without the last row when it did not end where the file did: somebody has gone on writing, so it was a part of a row. */
async function* wholeRows(rows: AsyncIterable<Row>, total: number, source: Source): AsyncGenerator<Row> {
  for await (const row of rows) {
    if (row.number === total && source.isOpenEnded && (await source.growth()) > 0) return;
    yield row;
  }
}

interface HowToSend {
  readonly resource: Resource;
  readonly upsert: string | undefined;
  readonly job: string;
  readonly request: Request;
}

/** Creates the record; with `--upsert` changes the one that has the row's value. */
async function sendRow(row: Row, { resource, upsert, job, request }: HowToSend): Promise<Outcome> {
  const { create, update, list } = resource;
  const { body, key } = row;
  const idempotencyKey = `${job}-${String(row.number)}`;
  const kindOf = (headers: Readonly<Record<string, string | undefined>>, kind: 'created' | 'updated'): Outcome => ({
    kind: headers[IDEMPOTENT_REPLAYED] === 'true' ? 'repeated' : kind,
  });
  try {
    const { headers } = await request((client) => client.send({ ...requestOf(create), body }, { idempotencyKey }));
    return kindOf(headers, 'created');
  } catch (error) {
    if (!blamesTheRow(error)) throw error;
    if (upsert === undefined || error.code !== 'DUPLICATE_VALUE' || error.details?.['field'] !== upsert) return { kind: 'refused', error };
    try {
      const known = error.details['existingId'];
      const id = typeof known === 'string' ? known : await idOf();
      const [param = ''] = Object.keys(update.params?.properties ?? {});
      const { path } = requestOf(update, { params: { [param]: id } });
      const { headers } = await request((client) =>
        client.send({ method: update.method, path, body }, { idempotencyKey: `${idempotencyKey}-update` }),
      );
      return kindOf(headers, 'updated');
    } catch (refusal) {
      if (!blamesTheRow(refusal)) throw refusal;
      return { kind: 'refused', error: refusal };
    }
  }
  async function idOf(): Promise<string> {
    const reply = await request((client) => client.perform(list, { query: { [upsert ?? '']: key } }));
    const [found] = (reply.body as { data: { id: string }[] }).data;
    if (!found) throw usage(`the service refuses ${upsert ?? ''} ${key ?? ''} as taken, and finds no record that has it`);
    return found.id;
  }
}

const errorOf = ({ code, message, status, fields, details, requestId }: ApiError): unknown => ({
  code,
  message,
  status,
  ...(fields === null ? {} : { fields }),
  ...(details === null ? {} : { details }),
  requestId,
});
