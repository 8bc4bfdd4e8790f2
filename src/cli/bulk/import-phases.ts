/**
 * The phases of an import: open the file, check all rows, then plan or send them. An import ends
 * - `checked`: a dry run, nothing was sent;
 * - `done`: every row was sent or rejected;
 * - `incomplete`: the file is still being written, and its last row was not sent;
 * - `interrupted`: by a signal, which lets the requests in progress finish;
 * - `failed`: by an error that no single row causes.
 * All but the first two leave a checkpoint, from which `--resume` continues.
 */
import { Unreachable } from '../../client/errors.ts';
import { RATE_WINDOW_S } from '../../contract/limits.ts';
import { ExplainedError, explainError } from '../errors/explained-error.ts';
import { Failure, usageError } from '../errors/failure.ts';
import { getStartHint } from '../errors/hints.ts';
import { formatCount, formatCountWithNoun, formatCountdown } from '../output/numbers.ts';
import type { ApiContext } from '../session/api-session.ts';
import { type Counts, type ImportState, NO_COUNTS, openCheckpoint, readCheckpoint } from './files/checkpoint.ts';
import { type Effects, collectEffects, hasDryRun } from './dry-run.ts';
import { type ColumnPlan, parseMap } from './rows/column-mapping.ts';
import { type CheckResult, PROBLEMS_KEPT, type ReadOptions, checkAll, planRows, sendRows } from './import-job.ts';
import { watchInterrupts } from '../session/interrupt.ts';
import { type Progress, createProgress } from './progress.ts';
import { type RateLimiter, RateLimitWaitTooLong, createRateLimiter } from './rate-limiter.ts';
import { BULK_FORMATS, type BulkFormat, detectFormat } from './rows/records.ts';
import { type Rejection, rejectInvalid, toRejectedRow } from './rejection.ts';
import type { RowChanges } from './rows/row-changes.ts';
import { createReferences } from './rows/references.ts';
import { type RejectedRowsFile, getDefaultPath, openRejectedRows } from './files/rejected-rows.ts';
import { type BulkResource, ID, type RowProblem, listMappedFields } from './bulk-resource.ts';
import type { RowOptions } from './rows/rows.ts';
import { type ImportSource, openSource, toSource } from './files/source.ts';
import { spoolStdin } from './files/stdin-spool.ts';
import { isWorkbook, spoolWorkbook } from './files/xlsx.ts';

export type ImportContext = Pick<ApiContext, 'output' | 'session' | 'command'>;

interface ImportInput {
  readonly file: string;
  readonly format?: BulkFormat | undefined;
  readonly map?: readonly string[] | undefined;
  readonly resume: boolean;
  readonly 'skip-invalid': boolean;
  readonly 'dry-run': boolean;
  readonly fresh: boolean;
  readonly errors?: string | undefined;
  readonly concurrency: number;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly decimal?: ',' | '.' | undefined;
  readonly post?: boolean | undefined;
  readonly upsert?: string | undefined;
  readonly maxWait: number | undefined;
}

export interface ImportJob {
  readonly context: ImportContext;
  readonly input: ImportInput;
  /** The records in messages, such as `items`. */
  readonly plural: string;
  readonly source: ImportSource;
  readonly reading: ReadOptions;
  /** Undefined for stdin, which cannot be read again. */
  readonly checkpointPath: string | undefined;
  /** Identifies flags, format and destination, which asks the service; must match on --resume. */
  readonly readFingerprint: () => Promise<string>;
  /** The checkpoint of this file, whether it is resumed or not. */
  readonly earlier: ImportState | undefined;
  readonly rejected: RejectedRowsFile;
  close(): Promise<void>;
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
  readonly settled: number;
  readonly counts: Counts;
  readonly rejections: Rejections;
  /** The numbers of the documents that were created. */
  readonly documents: readonly string[];
}

/** Why rows were rejected. */
export interface Rejections {
  /** The first problems. */
  readonly problems: readonly RowProblem[];
  /** Number of problems. */
  readonly count: number;
  readonly hints: ReadonlySet<string>;
}

function collectRejections(): Rejections & { readonly add: (rejection: Rejection) => void } {
  const problems: RowProblem[] = [];
  const hints = new Set<string>();
  let count = 0;
  return {
    problems,
    hints,
    get count() {
      return count;
    },
    add(rejection) {
      count += rejection.problems.length;
      problems.push(...rejection.problems.slice(0, PROBLEMS_KEPT - problems.length));
      if (rejection.hint !== undefined) hints.add(rejection.hint);
    },
  };
}

/** Opens the file, the checkpoint and the file for rejected rows. Nothing is written before the rows are checked. */
export async function openImport(context: ImportContext, resource: BulkResource, input: ImportInput): Promise<ImportJob> {
  const isStdin = input.file === '-';
  if (isStdin && input.resume) throw usageError('--resume requires a file; stdin cannot be read again');
  if (isWorkbook(input.file) && input.resume) throw usageError('--resume requires a CSV or NDJSON file');
  const spool = isStdin ? await spoolStdin() : isWorkbook(input.file) ? await spoolWorkbook(input.file) : undefined;
  const source = spool ? await toSource(spool.file, isStdin ? 'stdin' : input.file) : await openSource(input.file);
  const close = async (): Promise<void> => {
    await source.close();
    spool?.remove();
  };
  try {
    const map = parseMap(input.map ?? [], listMappedFields(resource, input.upsert));
    const format = input.format ?? spool?.format ?? detectFormat(source.path);
    if (format === undefined) throw usageError(`Unknown format of ${source.path}`, `Pass --format ${BULK_FORMATS.join(' or --format ')}`);
    const { isCsvSafe } = context.output;
    if (isCsvSafe && format !== 'csv') throw usageError('--csv-safe requires --format csv');
    const { validateBody } = await import('../../contract/schema/field-problems.ts');
    const rows: RowOptions = {
      resource,
      map,
      upsert: input.upsert,
      references: createReferences(context.session),
      decimal: input.decimal,
      check: (body, isUpdate) => validateBody((isUpdate && resource.upsert ? resource.upsert.update : resource.create).body, body),
    };
    const options = [resource.noun, [...map], input.upsert, format, input.encoding, input.delimiter];
    const more = [
      ...(isCsvSafe ? ['csv-safe'] : []),
      ...(input.decimal === undefined ? [] : [input.decimal]),
      ...(input.post ? ['post'] : []),
    ];
    const readFingerprint = async () => JSON.stringify([...options, ...more, ...(await context.session.readDestination())]);
    const checkpointPath = spool ? undefined : `${source.path}.checkpoint`;
    const earlier = checkpointPath === undefined ? undefined : readCheckpoint(checkpointPath, input.resume);
    if (input.resume && !earlier) context.output.printNote(`No checkpoint ${checkpointPath ?? ''}; starting with the first row`);
    if (input.resume && earlier && earlier.question !== (await readFingerprint()))
      throw usageError(
        `${checkpointPath ?? ''} belongs to an import with other flags, or into another service or tenant`,
        'Use the same flags and profile, or omit --resume',
      );
    const saved = input.resume ? earlier : undefined;
    const rejected = openRejectedRows(saved?.errors ?? input.errors ?? getDefaultPath(input.file), saved?.errorsBytes);
    const reading = { source, format, encoding: input.encoding, delimiter: input.delimiter, isCsvSafe, rows };
    return { context, input, plural: `${resource.noun}s`, source, reading, checkpointPath, readFingerprint, earlier, rejected, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The checkpoint that is continued. */
const getSaved = ({ input, earlier }: ImportJob): ImportState | undefined => (input.resume ? earlier : undefined);

/** Checks the file before the first row is sent. Throws a failure if rows are invalid, unless these are skipped. */
export async function checkFile(job: ImportJob): Promise<CheckResult> {
  const { context, input, plural, reading, rejected, source } = job;
  const saved = getSaved(job);
  const progress = createProgress({ noun: plural, participle: 'checked', total: null });
  const ignored: string[] = [];
  // An export has an id and other columns that imports ignore.
  const plans: ColumnPlan[] = [];
  const onPlan = (plan: ColumnPlan) => {
    plans.push(plan);
    ignored.push(...(plan.columns.some(({ name }) => name === ID) ? [] : plan.ignored));
  };
  const writesRejected = !saved && !input['skip-invalid'] && !input['dry-run'];
  const checked = await checkAll({ ...reading, rows: { ...reading.rows, onPlan } }, saved?.size ?? 0, (row) => {
    progress.show(row.number);
    if (row.hasIgnoredId && reading.rows.resource.upsert && input.upsert === undefined)
      throw usageError(
        `${source.path} has ids of existing ${plural}, the first in line ${String(row.line)}`,
        `Pass --upsert id to update these ${plural}, or --map id= to create new ones`,
      );
    if (writesRejected && row.problems.length > 0) rejected.add(toRejectedRow(row, rejectInvalid(row)));
  }).finally(() => {
    progress.clear();
    if (writesRejected) rejected.close();
  });
  if (saved) assertSameFile(source, saved);
  if (ignored.length > 0) context.output.printNote(`Columns ignored, because the service sets them: ${ignored.join(', ')}`);
  const { skippedWithout } = reading.rows.resource.lines ?? {};
  if (plans.length === 0 && reading.format === 'csv')
    throw usageError(`${source.path} is empty`, 'The first line of a CSV file has the names of the columns, such as name,sku');
  if (checked.rows === 0)
    context.output.printNote(
      `${source.path} has no rows${skippedWithout === undefined ? '' : ` with a ${skippedWithout}`}; nothing was imported`,
    );
  if (checked.wrong > 0 && (!input['skip-invalid'] || input['dry-run']))
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

/** Counts what an import would change. */
export async function planImport({ context, input, plural, reading }: ImportJob, checked: CheckResult): Promise<ImportEnd> {
  const { rows } = checked;
  const rejections = collectRejections();
  const { upsert } = input;
  const { resource } = reading.rows;
  const changes: RowChanges[] = [];
  if (upsert === undefined && !hasDryRun(resource)) return { state: 'checked', rows, counts: NO_COUNTS, changes, rejections };
  const progress = createProgress({ noun: plural, participle: upsert === undefined ? 'tried' : 'compared', total: rows });
  const client = await context.session.connect();
  const onRead = (count: number, total: number) => progress.show(0, null, formatExisting(count, total));
  const effects = resource.post && collectEffects();
  const counts = await planRows(reading, {
    client,
    checked,
    isPosted: input.post === true,
    onRead,
    onRejected: rejections.add,
    onChange: (change) => changes.push(change),
    onDryRun(reply, { number }) {
      effects?.add(reply);
      progress.show(number);
    },
  }).finally(() => progress.clear());
  return { state: 'checked', rows, counts, changes, rejections, ...(effects && { effects }) };
}

/** Sends the rows that are not yet sent, and saves or removes the checkpoint. */
export async function sendImport(job: ImportJob, { rows: total, fields }: CheckResult): Promise<ImportEnd> {
  const { context, input, plural, reading, rejected, source } = job;
  const { output, session } = context;
  const state = await createState(job);
  const clients = await session.connectMany(Math.min(input.concurrency, Math.max(1, total)), {
    maxWaitMs: 0,
    wait: () => Promise.resolve(),
  });
  const progress = createProgress({ noun: plural, total });
  const interrupt = watchInterrupts(() => progress.clear());
  const startedAt = performance.now();
  const rejections = collectRejections();
  const documents: string[] = [];
  const { limiter, onProgress } = createPace(job, { progress, startRow: state.rows, total, signal: interrupt.signal });
  const checkpoint = job.checkpointPath === undefined ? undefined : openCheckpoint(job.checkpointPath);
  checkpoint?.saveNow(state);
  if (checkpoint?.problem) output.printNote(`No checkpoint: ${checkpoint.problem}. --resume will start with the first row`);
  const { state: last, failure } = await sendRows({
    reading,
    clients,
    limiter,
    signal: interrupt.signal,
    state,
    total,
    fields,
    checkpoint,
    post: input.post === true ? reading.rows.resource.post : undefined,
    refused: rejected,
    onRead: (count, recordCount) => progress.show(0, null, formatExisting(count, recordCount)),
    onProgress,
    onRejected: rejections.add,
    onDocument: (number) => documents.push(number),
  });
  progress.clear();
  interrupt.release();
  rejected.close();
  const isComplete = last.rows >= total && !failure;
  const addedBytes = await source.getGrowth();
  if (isComplete && addedBytes === 0) checkpoint?.remove();
  else checkpoint?.saveNow(last);
  const sent = { rows: total, settled: last.rows, counts: last.counts, rejections, documents };
  if (failure) return { ...sent, state: 'failed', error: explainSendError(context, failure.error) };
  if (isComplete) return { ...sent, state: 'done', addedBytes, seconds: (performance.now() - startedAt) / 1000 };
  return interrupt.exit === null ? { ...sent, state: 'incomplete' } : { ...sent, state: 'interrupted', exit: interrupt.exit };
}

/** The state before the first row is sent: saved, or that of a new import. */
async function createState(job: ImportJob): Promise<ImportState> {
  const { context, input, checkpointPath, earlier, rejected, source } = job;
  const saved = getSaved(job);
  const question = saved?.question ?? (checkpointPath === undefined ? '' : await job.readFingerprint());
  if (!saved && earlier && earlier.digest === source.digest && earlier.question === question && earlier.rows > 0)
    context.output.printNote(`An earlier import stopped after row ${formatCount(earlier.rows)}; --resume continues it`);
  const start = { question, job: createJobId(input), rows: 0, counts: { ...NO_COUNTS }, errors: rejected.path, errorsBytes: 0 };
  return { ...(saved ?? start), size: source.size, digest: source.digest, at: new Date().toISOString() };
}

interface Pace {
  readonly limiter: RateLimiter;
  readonly onProgress: (rows: number) => void;
}

/** The rate limit, and the progress that shows when requests wait for it. */
function createPace(
  { context, input }: ImportJob,
  { progress, startRow, total, signal }: { progress: Progress; startRow: number; total: number; signal: AbortSignal },
): Pace {
  let note = '';
  let done = startRow;
  const draw = (): void => {
    const least = limiter.estimateSeconds(total - done);
    progress.show(done, least !== null && done < total ? least : null, note);
  };
  const limiter = createRateLimiter({
    signal,
    maxWait: input.maxWait ?? RATE_WINDOW_S,
    onWait: (seconds, limit) => {
      note = `waiting ${formatCountdown(seconds)} for the rate limit`;
      const limitText = limit === null ? '' : ` of ${formatCount(limit)} requests per minute`;
      if (!process.stderr.isTTY)
        context.output.printNote(`Rate limit${limitText} reached after row ${formatCount(done)}; continuing in ${String(seconds)} s`);
      draw();
    },
  });
  const onProgress = (rows: number): void => {
    if (rows > done && limiter.estimateSeconds(total - rows) === null) note = '';
    done = rows;
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

const formatExisting = (count: number, total: number): string => `${formatCount(count)} of ${formatCount(total)} existing records read`;

/**
 * Returns the prefix of the idempotency keys. All imports share the prefix, so rows imported before are recognized by their keys. `--fresh`
 * and `--upsert` by a name use a new prefix.
 */
function createJobId({ fresh, upsert }: ImportInput): string {
  const findsRecords = upsert !== undefined && upsert !== ID;
  return fresh || findsRecords ? `import-${process.getBuiltinModule('node:crypto').randomUUID()}` : 'import';
}

/** Throws a usage error if the file was changed. Rows may have been added at the end. */
function assertSameFile({ path, digest, size, prefixDigest }: ImportSource, saved: ImportState): void {
  if (digest === saved.digest || (size > saved.size && prefixDigest === saved.digest)) return;
  throw usageError(`${path} changed since the import was interrupted`, 'Import it without --resume: rows that were imported are skipped');
}
