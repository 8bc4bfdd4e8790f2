/**
 * The phases of an import: check all rows, then plan or send them. An import ends
 * - `checked`: a dry run, nothing was sent;
 * - `done`: every row was sent or rejected;
 * - `incomplete`: the file is still being written, and its last row was not sent;
 * - `interrupted`: by a signal, which lets the requests in progress finish;
 * - `failed`: by an error that no single row causes.
 * All but the first two leave a checkpoint, from which `--resume` continues.
 */
import type { Client } from '../../client/client.ts';
import { type ApiError, Unreachable } from '../../client/errors.ts';
import { RATE_WINDOW_S } from '../../contract/limits.ts';
import { approveStockDocument } from '../../contract/resources/stock-documents.ts';
import { ExplainedError, explainError } from '../errors/explained-error.ts';
import { Failure, usageError } from '../errors/failure.ts';
import { getStartHint } from '../errors/hints.ts';
import { formatCount, formatCountWithNoun, formatCountdown } from '../output/numbers.ts';
import { watchInterrupts } from '../session/interrupt.ts';
import { ID, type RowProblem } from './bulk-resource.ts';
import { type Effects, addEffects, hasDryRun, sendDryRun } from './dry-run.ts';
import { readExisting } from './existing-records.ts';
import { type Counts, type ImportState, NO_COUNTS, openCheckpoint } from './files/checkpoint.ts';
import type { ImportSource } from './files/source.ts';
import { type ImportContext, type ImportJob, readRows } from './import-job.ts';
import { type Progress, createProgress } from './progress.ts';
import { RateLimiter, RateLimitWaitTooLong } from './rate-limiter.ts';
import {
  PROBLEMS_KEPT,
  type Rejections,
  addRejection,
  createRejections,
  rejectInvalid,
  rejectRefused,
  toRejectedRow,
} from './rejection.ts';
import type { ColumnPlan } from './rows/column-mapping.ts';
import { CHANGES_SHOWN, type RowChanges, readChanges } from './rows/row-changes.ts';
import { addIdempotencyKeys } from './rows/row-keys.ts';
import type { Row } from './rows/rows.ts';
import { planRow, sendRow } from './send-row.ts';
import { JobStopped, isRowError, sendAll, withRateLimit } from './send.ts';

interface CheckResult {
  readonly rows: number;
  readonly wrong: number;
  /** The first problems. */
  readonly problems: readonly RowProblem[];
  /** The fields that at least one row has. */
  readonly fields: readonly string[];
}

export type ImportEnd =
  | {
      readonly state: 'checked';
      readonly rows: number;
      readonly counts: Counts;
      readonly changes: readonly RowChanges[];
      /** What posting would change; absent for records that are no stock documents. */
      readonly effects?: Effects;
      readonly rejections: Rejections;
    }
  | (SentRows & { readonly state: 'done'; readonly addedBytes: number; readonly seconds: number })
  | (SentRows & { readonly state: 'incomplete' })
  | (SentRows & { readonly state: 'interrupted'; readonly exit: number })
  | (SentRows & { readonly state: 'failed'; readonly error: unknown });

interface SentRows {
  /** Rows in the file. */
  readonly rows: number;
  /** Rows that were completed, from the start. */
  settled: number;
  readonly counts: Counts;
  readonly rejections: Rejections;
  /** The numbers of the documents that were created. */
  readonly documents: string[];
}

/** Reads and checks the whole file before the first row is sent. Throws a failure if rows are invalid, unless these are skipped. */
export async function checkFile(job: ImportJob): Promise<CheckResult> {
  const { context, input, resource, plural, rejected, saved, source } = job;
  const progress = createProgress({ noun: plural, participle: 'checked', total: null });
  const writesRejected = !saved && !input['skip-invalid'] && !input['dry-run'];
  const plans: ColumnPlan[] = [];
  const problems: RowProblem[] = [];
  const fields = new Set<string>();
  let rows = 0;
  let wrong = 0;
  try {
    for await (const row of readRows(job, source.readForCheck(saved?.size ?? 0), (plan) => plans.push(plan))) {
      rows += 1;
      progress.show(row.number);
      if (row.hasIgnoredId && resource.upsert && input.upsert === undefined)
        throw usageError(
          `${source.path} has ids of existing ${plural}, the first in line ${String(row.line)}`,
          `Pass --upsert id to update these ${plural}, or --map id= to create new ones`,
        );
      for (const field of [...Object.keys(row.value), ...Object.keys(row.renamed)]) fields.add(field);
      if (row.problems.length === 0) continue;
      wrong += 1;
      problems.push(...row.problems.slice(0, PROBLEMS_KEPT - problems.length));
      if (writesRejected) rejected.add(toRejectedRow(row, rejectInvalid(row)));
    }
  } finally {
    progress.clear();
    if (writesRejected) rejected.close();
  }
  if (saved) assertSameFile(source, saved);
  // An export has an id and other columns that imports ignore.
  const ignored = plans.flatMap((plan) => (plan.columns.some(({ name }) => name === ID) ? [] : plan.ignored));
  if (ignored.length > 0) context.output.printNote(`Columns ignored, because the service sets them: ${ignored.join(', ')}`);
  if (plans.length === 0 && job.format === 'csv')
    throw usageError(`${source.path} is empty`, 'The first line of a CSV file has the names of the columns, such as name,sku');
  const { skippedWithout } = resource.lines ?? {};
  const which = skippedWithout === undefined ? '' : ` with a ${skippedWithout}`;
  if (rows === 0) context.output.printNote(`${source.path} has no rows${which}; nothing was imported`);
  const checked = { rows, wrong, problems, fields: [...fields] };
  if (wrong > 0 && (!input['skip-invalid'] || input['dry-run']))
    throw createInvalidRows(job, checked, writesRejected ? `. All invalid rows are in ${rejected.path}` : '');
  return checked;
}

function createInvalidRows({ plural }: ImportJob, { wrong, rows, problems }: CheckResult, place: string): Failure {
  const [are, them] = wrong === 1 ? ['is', 'it'] : ['are', 'them'];
  const which = rows === 1 ? `The ${plural.replace(/s$/u, '')} is` : `${formatCount(wrong)} of ${formatCountWithNoun(rows, plural)} ${are}`;
  return new Failure('INVALID_ROWS', `${which} invalid; nothing was sent`, {
    hint: `Fix ${them}, or import the others with --skip-invalid${place}`,
    details: { problems: problems.map(({ line, column, message }) => ({ line, column, problem: message })) },
  });
}

/** Throws a usage error if the file was changed. Rows may have been added at the end. */
function assertSameFile({ path, digest, size, prefixDigest }: ImportSource, saved: ImportState): void {
  if (digest === saved.digest || (size > saved.size && prefixDigest === saved.digest)) return;
  throw usageError(`${path} changed since the import was interrupted`, 'Import it without --resume: rows that were imported are skipped');
}

const PLANNED_COUNTS = { create: 'created', update: 'updated', unchanged: 'unchanged', skipped: 'refused' } as const;

/** Errors of posting a document, of which a draft can be left. */
const POSTING_CODES: ReadonlySet<string> = new Set(approveStockDocument.errors);

/** Counts what an import would change: compares rows with the records of `--upsert`, or asks the service for dry runs. */
export async function planImport(job: ImportJob, { rows, fields }: CheckResult): Promise<ImportEnd> {
  const { context, input, resource, plural, source } = job;
  const { upsert } = input;
  const { references } = job.rows;
  const rejections = createRejections();
  const changes: RowChanges[] = [];
  if (upsert === undefined && !hasDryRun(resource)) return { state: 'checked', rows, counts: NO_COUNTS, changes, rejections };
  const progress = createProgress({ noun: plural, participle: upsert === undefined ? 'tried' : 'compared', total: rows });
  const client = await context.session.connect();
  const effects: Effects | undefined = resource.post && { rows: [], count: 0, postedValue: 0 };
  const counts: Counts = { ...NO_COUNTS };
  const tryRow = async (row: Row): Promise<ApiError | undefined> => {
    try {
      const reply = await sendDryRun(client, resource, row);
      if (effects) addEffects(effects, reply);
      progress.show(row.number);
      return undefined;
    } catch (error) {
      if (!isRowError(error)) throw error;
      return error;
    }
  };
  try {
    const findExisting = await readRecords(job, { client, progress, fields, rows });
    for await (const row of readRows(job, source.readForSending())) {
      const plan = await planRow(row, { resource, upsert, findExisting, request: (perform) => perform(client) });
      if (plan.kind === 'skipped') addRejection(rejections, plan.rejection);
      if (plan.kind === 'update' && counts.updated < CHANGES_SHOWN)
        changes.push(await readChanges({ client, resource, references }, row, plan));
      const error = plan.kind === 'create' && hasDryRun(resource) ? await tryRow(row) : undefined;
      if (error) addRejection(rejections, rejectRefused(row, error, resource));
      const isRefused = error !== undefined && (input.post === true || !POSTING_CODES.has(error.code));
      counts[isRefused ? 'refused' : PLANNED_COUNTS[plan.kind]] += 1;
    }
  } finally {
    progress.clear();
  }
  return { state: 'checked', rows, counts, changes, rejections, ...(effects && { effects }) };
}

/** Reads the records that rows may update; undefined without `--upsert`. */
async function readRecords(
  { input: { upsert }, resource }: ImportJob,
  { client, progress, fields, rows }: { client: Client; progress: Progress; fields: readonly string[]; rows: number },
) {
  if (upsert === undefined) return undefined;
  const onRead = (count: number, total: number) =>
    progress.show(0, null, `${formatCount(count)} of ${formatCount(total)} existing records read`);
  return readExisting({ resource, upsert, fields, rows, client, onRead });
}

/** Sends the rows that are not yet sent, and saves or removes the checkpoint. */
export async function sendImport(job: ImportJob, { rows, fields }: CheckResult): Promise<ImportEnd> {
  const { context, input, plural, rejected, source } = job;
  const state = await createState(job);
  const clients = await context.session.connectMany(Math.min(input.concurrency, Math.max(1, rows)), {
    maxWaitMs: 0,
    wait: () => Promise.resolve(),
  });
  const progress = createProgress({ noun: plural, total: rows });
  const interrupt = watchInterrupts(() => progress.clear());
  const startedAt = performance.now();
  const checkpoint = job.checkpointPath === undefined ? undefined : openCheckpoint(job.checkpointPath);
  checkpoint?.saveNow(state);
  if (checkpoint?.problem) context.output.printNote(`No checkpoint: ${checkpoint.problem}. --resume will start with the first row`);
  // A checkpoint of an earlier release has no count of unchanged rows.
  const counts = { ...NO_COUNTS, ...state.counts };
  const sent: SentRows = { rows, settled: state.rows, counts, rejections: createRejections(), documents: [] };
  const toState = (): ImportState => ({
    ...state,
    rows: sent.settled,
    counts,
    errorsBytes: rejected.bytes,
    at: new Date().toISOString(),
  });
  const save = () => checkpoint?.save(toState);
  const sending = sendRows(job, { clients, fields, progress, save, signal: interrupt.signal, prefix: state.job }, sent);
  const failure = await sending.then(
    () => undefined,
    (error: unknown) => (error instanceof JobStopped ? undefined : { error }),
  );
  progress.clear();
  interrupt.release();
  rejected.close();
  const isComplete = sent.settled >= rows && !failure;
  const addedBytes = await source.getGrowth();
  if (isComplete && addedBytes === 0) checkpoint?.remove();
  else checkpoint?.saveNow(toState());
  if (failure) return { ...sent, state: 'failed', error: explainSendError(context, failure.error) };
  if (isComplete) return { ...sent, state: 'done', addedBytes, seconds: (performance.now() - startedAt) / 1000 };
  return interrupt.exit === null ? { ...sent, state: 'incomplete' } : { ...sent, state: 'interrupted', exit: interrupt.exit };
}

/** The state before the first row is sent: saved, or that of a new import. */
async function createState(job: ImportJob): Promise<ImportState> {
  const { context, input, checkpointPath, earlier, saved, rejected, source, readFingerprint } = job;
  const question = saved?.question ?? (checkpointPath === undefined ? '' : await readFingerprint());
  if (!saved && earlier && earlier.digest === source.digest && earlier.question === question && earlier.rows > 0)
    context.output.printNote(`An earlier import stopped after row ${formatCount(earlier.rows)}; --resume continues it`);
  const start = { question, job: createJobId(input), rows: 0, counts: NO_COUNTS, errors: rejected.path, errorsBytes: 0 };
  return { ...(saved ?? start), size: source.size, digest: source.digest, at: new Date().toISOString() };
}

/**
 * Returns the prefix of the idempotency keys. All imports share the prefix, so rows imported before are recognized by their keys. `--fresh`
 * and `--upsert` by a name use a new prefix.
 */
function createJobId({ fresh, upsert }: ImportJob['input']): string {
  const findsRecords = upsert !== undefined && upsert !== ID;
  return fresh || findsRecords ? `import-${process.getBuiltinModule('node:crypto').randomUUID()}` : 'import';
}

interface Sending {
  readonly clients: readonly Client[];
  readonly fields: readonly string[];
  readonly progress: Progress;
  readonly save: () => void;
  readonly signal: AbortSignal;
  /** Of the idempotency keys. */
  readonly prefix: string;
}

/** Sends the rows after those of an earlier run, and records their outcomes in `sent`. Throws JobStopped after `signal`. */
async function sendRows(job: ImportJob, { clients, fields, progress, save, signal, prefix }: Sending, sent: SentRows): Promise<void> {
  const { input, rejected, resource, source } = job;
  const { upsert } = input;
  const post = input.post === true ? resource.post : undefined;
  const { limiter, onProgress } = createPace(job, sent, progress, signal);
  const [client] = clients;
  if (!client) throw new TypeError('an import has at least one client');
  const limited = withRateLimit(client, limiter, () => signal.aborted);
  const findExisting = await readRecords(job, { client: limited, progress, fields, rows: sent.rows - sent.settled });
  const keyed = addIdempotencyKeys(readRows(job, source.readForSending()), prefix);
  await sendAll({
    rows: dropPartialLastRow(skipRows(keyed, sent.settled), sent.rows, source),
    clients,
    limiter,
    signal,
    send: (row, request) => sendRow(row, { resource, upsert, request, findExisting, post }),
    onResult(row, outcome) {
      if (outcome.kind === 'refused') {
        rejected.add(toRejectedRow(row, outcome.rejection));
        addRejection(sent.rejections, outcome.rejection);
      }
      if (outcome.kind === 'created' && outcome.document !== undefined) sent.documents.push(outcome.document);
      sent.counts[outcome.kind] += 1;
      sent.settled = row.number;
      save();
      onProgress();
    },
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

/** The rate limit, and the progress that shows when requests wait for it. */
function createPace({ context, input }: ImportJob, sent: SentRows, progress: Progress, signal: AbortSignal) {
  let note = '';
  const draw = (): void => {
    const least = limiter.estimateSeconds(sent.rows - sent.settled);
    progress.show(sent.settled, sent.settled < sent.rows ? least : null, note);
  };
  const limiter: RateLimiter = new RateLimiter({
    signal,
    maxWait: input.maxWait ?? RATE_WINDOW_S,
    onWait(seconds, limit) {
      note = `waiting ${formatCountdown(seconds)} for the rate limit`;
      const limitText = limit === null ? '' : ` of ${formatCount(limit)} requests per minute`;
      if (!process.stderr.isTTY)
        context.output.printNote(
          `Rate limit${limitText} reached after row ${formatCount(sent.settled)}; continuing in ${String(seconds)} s`,
        );
      draw();
    },
  });
  const onProgress = (): void => {
    if (limiter.estimateSeconds(sent.rows - sent.settled) === null) note = '';
    draw();
  };
  return { limiter, onProgress };
}

const RESUME_HINT = 'Continue with --resume';

function explainSendError({ session }: ImportContext, error: unknown): unknown {
  if (error instanceof RateLimitWaitTooLong)
    return new Failure('RATE_LIMITED', `Still rate limited; the window ends in ${formatCountdown(error.seconds)}`, {
      hint: `${RESUME_HINT}, and allow the wait with --max-wait ${String(error.seconds)}`,
      cause: error,
    });
  const { isLocal = true, dataDir } = session.getHintContext();
  if (error instanceof Unreachable)
    return new ExplainedError(error, {
      hint: `${isLocal ? getStartHint(dataDir) : `Check whether ${session.destination} responds`}, then continue with --resume`,
    });
  return explainError(error, () => ({ hint: RESUME_HINT }));
}
