/** Base of `items import` and `contacts import`: flags, messages and exit codes. `import-job.ts` checks and sends the rows. */
import { devNull } from 'node:os';
import { Args, Flags } from '@oclif/core';
import { Unreachable } from '../../client/errors.ts';
import { IDEMPOTENCY_VALIDITY_H, RATE_WINDOW_S } from '../../contract/limits.ts';
import { ApiCommand } from '../base-commands/api-command.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { Failure, usageError } from '../errors/failure.ts';
import { integerFlag } from '../input/integer-flag.ts';
import { type HintContext, getStartHint, quoteForShell } from '../errors/hints.ts';
import { type Checkpoint, type Counts, type ImportState, NO_COUNTS, openCheckpoint, readCheckpoint } from './checkpoint.ts';
import { type ColumnPlan, parseMap } from './column-mapping.ts';
import {
  type CheckResult,
  PROBLEMS_KEPT,
  type ReadOptions,
  checkAll,
  planRows,
  problemsAsError,
  sendRows,
  toRejectedRow,
} from './import-job.ts';
import { preferSmallHeap } from '../heap-limits.ts';
import { type Interrupt, watchInterrupts } from './interrupt.ts';
import { type RateLimiter, RateLimitWaitTooLong, createRateLimiter } from './rate-limiter.ts';
import { formatCount, formatCountWithNoun, formatCountdown } from '../output/numbers.ts';
import { type Progress, createProgress } from './progress.ts';
import { BULK_FORMATS, type BulkFormat, detectFormat } from './records.ts';
import { type RejectedRowsFile, findFreePath, openRejectedRows } from './rejected-rows.ts';
import { type BulkResource, ID, type RowOptions, listMappedFields } from './rows.ts';
import { type ImportSource, openSource } from './source.ts';
import { type Spool, spoolStdin } from './stdin-spool.ts';

const CONCURRENCY = 32;
const CONCURRENCY_MAX = 128;
const ERRORS_FILE = 'errors.ndjson';

export const importArgs = {
  file: Args.string({ required: true, ignoreStdin: true, description: 'CSV file with a header line, NDJSON file, or - for stdin.' }),
};

export const importFlags = {
  format: Flags.option({ options: BULK_FORMATS, description: 'File format. Default: by the extension of FILE.' })(),
  map: Flags.string({
    helpValue: 'COLUMN=FIELD',
    multiple: true,
    multipleNonGreedy: true,
    description: 'Field of a column; COLUMN= ignores the column. Default: the field with the same name. Repeatable.',
  }),
  resume: Flags.boolean({ description: 'Continue an interrupted import of this file.' }),
  'skip-invalid': Flags.boolean({ description: 'Import valid rows even if others are invalid. Default: send none.' }),
  'dry-run': Flags.boolean({
    description: 'Validate all rows without sending any; with --upsert, count what would change.',
    exclusive: ['resume'],
  }),
  fresh: Flags.boolean({
    description: `Import rows again that were imported, from any file, in the last ${String(IDEMPOTENCY_VALIDITY_H)} hours. Default: skip them.`,
    exclusive: ['resume'],
  }),
  errors: Flags.string({
    helpValue: 'FILE',
    description: `File for rejected rows and their errors; replaces those of an earlier import. Default: ${ERRORS_FILE}, with a number if it exists.`,
  }),
  concurrency: integerFlag({
    helpValue: 'N',
    min: 1,
    max: CONCURRENCY_MAX,
    default: CONCURRENCY,
    description: 'Number of concurrent requests.',
  }),
  encoding: Flags.string({
    helpValue: 'NAME',
    description: 'Encoding of the file, such as windows-1252. Default: UTF-8, or UTF-16 with a byte order mark.',
  }),
  delimiter: Flags.string({
    helpValue: 'CHAR',
    description: 'CSV delimiter, or "tab". Default: detected from the header line.',
  }),
};

export interface ImportInput {
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
  readonly upsert?: string | undefined;
}

interface SendParts {
  /** The records in messages, such as `items`. */
  readonly plural: string;
  readonly state: ImportState;
  readonly checkpoint: Checkpoint | undefined;
  readonly refused: RejectedRowsFile;
  readonly checked: CheckResult;
}

interface SendResult {
  readonly state: ImportState;
  readonly failure?: { readonly error: unknown };
  readonly interrupt: Interrupt;
  readonly startedAt: number;
  readonly destination: string;
}

interface Pace {
  readonly limiter: RateLimiter;
  readonly onProgress: (rows: number) => void;
}

/** The `data` of `--json`. */
interface Summary extends Counts {
  readonly status: 'done' | 'stopped' | 'checked';
  readonly rows: number;
  readonly settled: number;
  readonly errors: string | null;
}

export abstract class ImportCommand extends ApiCommand {
  private refusalHint: string | undefined;

  protected override getHintContext(): HintContext {
    return { ...super.getHintContext(), ...(this.refusalHint === undefined ? {} : { refusalHint: this.refusalHint }) };
  }

  protected async import(resource: BulkResource, input: ImportInput): Promise<void> {
    preferSmallHeap();
    const spool = input.file === '-' ? await spoolStdin() : undefined;
    if (spool && input.resume) throw usageError('--resume requires a file; stdin cannot be read again');
    const source = await openSource(spool?.path ?? input.file, spool ? 'stdin' : input.file);
    try {
      await this.runImport(resource, input, source, spool);
    } finally {
      await source.close();
      spool?.remove();
    }
  }

  private async runImport(resource: BulkResource, input: ImportInput, source: ImportSource, spool: Spool | undefined): Promise<void> {
    const plural = `${resource.noun}s`;
    const map = parseMap(input.map ?? [], listMappedFields(resource, input.upsert));
    const format = input.format ?? spool?.format ?? detectFormat(source.path);
    if (format === undefined) throw usageError(`Unknown format of ${source.path}`, `Pass --format ${BULK_FORMATS.join(' or --format ')}`);
    const checkpointPath = spool ? undefined : `${source.path}.checkpoint`;
    const { validateBody } = await import('../../contract/schema/field-problems.ts');
    const rows: RowOptions = {
      resource,
      map,
      upsert: input.upsert,
      check: (body, isUpdate) => validateBody((isUpdate ? resource.update : resource.create).body, body),
    };
    const readOptions: ReadOptions = { source, format, encoding: input.encoding, delimiter: input.delimiter, rows };
    const question = JSON.stringify([resource.noun, [...map], input.upsert, format, input.encoding, input.delimiter]);

    const savedState = checkpointPath === undefined ? undefined : readCheckpoint(checkpointPath, input.resume);
    const saved = input.resume ? savedState : undefined;
    if (input.resume && !saved) this.printNote(`No checkpoint ${checkpointPath ?? ''}; starting with the first row`);
    if (saved && saved.question !== question)
      throw usageError(`${checkpointPath ?? ''} belongs to an import with other flags`, 'Use the same flags, or omit --resume');
    const errors = saved?.errors ?? input.errors ?? findFreePath(ERRORS_FILE);
    const rejectedFile = openRejectedRows(errors, saved?.errorsBytes);
    const checked = await this.check(readOptions, saved, plural, input, rejectedFile);
    if (input['dry-run']) {
      const counts = input.upsert === undefined ? NO_COUNTS : await this.plan(readOptions, input.upsert, checked);
      await this.reportSummary({ status: 'checked', rows: checked.rows, settled: 0, ...counts, errors: null }, plural, performance.now());
      if (counts.refused > 0) process.exitCode = EXIT.partial;
      return;
    }
    if (!saved && savedState && savedState.digest === source.digest && savedState.rows > 0)
      this.printNote(`An earlier import stopped after row ${formatCount(savedState.rows)}; --resume continues it`);
    const job = saved?.job ?? createJobId(input);
    const state: ImportState = {
      ...(saved ?? { question, job, rows: 0, counts: { ...NO_COUNTS }, errors, errorsBytes: 0 }),
      size: source.size,
      digest: source.digest,
      at: new Date().toISOString(),
    };
    const checkpoint = checkpointPath === undefined ? undefined : openCheckpoint(checkpointPath);
    await this.send(readOptions, input, { plural, state, checkpoint, refused: rejectedFile, checked });
  }

  /** Checks the file before the first row is sent. */
  private async check(
    reading: ReadOptions,
    saved: ImportState | undefined,
    plural: string,
    input: ImportInput,
    refused: RejectedRowsFile,
  ): Promise<CheckResult> {
    const { source } = reading;
    const progress = createProgress({ noun: plural, participle: 'checked', total: null });
    const ignored: string[] = [];
    // An export has an id and other columns that imports ignore.
    const onPlan = (plan: ColumnPlan) => ignored.push(...(plan.columns.some(({ name }) => name === ID) ? [] : plan.ignored));
    const rows: RowOptions = { ...reading.rows, onPlan };
    const writesRejected = !saved && !input['skip-invalid'] && !input['dry-run'];
    const checked = await checkAll({ ...reading, rows }, saved?.size ?? 0, (row) => {
      progress.show(row.number);
      if (row.hasIgnoredId && input.upsert === undefined)
        throw usageError(
          `${source.path} has ids of existing ${plural}, the first in line ${String(row.line)}`,
          `Pass --upsert id to update these ${plural}, or --map id= to create new ones`,
        );
      if (writesRejected && row.problems.length > 0) refused.add(toRejectedRow(row, input.upsert, problemsAsError(row.problems)));
    }).finally(() => {
      progress.clear();
      if (writesRejected) refused.close();
    });
    if (saved) assertSameFile(source, saved);
    if (ignored.length > 0) this.printNote(`Columns ignored, because the service sets them: ${ignored.join(', ')}`);
    if (checked.rows === 0) this.printNote(`${source.path} has no rows`);
    if (checked.wrong > 0 && (!input['skip-invalid'] || input['dry-run'])) {
      const problems = checked.problems.map(({ line, column, message }) => ({ line, column, problem: message }));
      throw new Failure(
        'INVALID_ROWS',
        `${formatCount(checked.wrong)} of ${formatCountWithNoun(checked.rows, plural)} ${checked.wrong === 1 ? 'is' : 'are'} invalid; nothing was sent`,
        {
          exit: EXIT.usage,
          hint: `Fix ${checked.wrong === 1 ? 'it' : 'them'}, or import the others with --skip-invalid${writesRejected ? `. All invalid rows are in ${refused.path}` : ''}`,
          details: { problems },
        },
      );
    }
    return checked;
  }

  /** Counts what an import would change. */
  private async plan(reading: ReadOptions, upsert: string, checked: CheckResult): Promise<Counts> {
    const progress = createProgress({ noun: `${reading.rows.resource.noun}s`, participle: 'compared', total: checked.rows });
    const client = await this.connect();
    let rejected = 0;
    const onRead = (count: number, total: number) => progress.show(0, null, formatExisting(count, total));
    const counts = await planRows(reading, { client, upsert, checked, onRead }, ({ line }, message) => {
      rejected += 1;
      if (rejected > PROBLEMS_KEPT) return;
      progress.clear();
      this.printNote(`Line ${String(line)}: ${message}`);
    });
    progress.clear();
    return counts;
  }

  private async send(reading: ReadOptions, input: ImportInput, parts: SendParts): Promise<void> {
    const { plural, state, checkpoint, refused, checked } = parts;
    const { rows: total, fields } = checked;
    const clients = await this.connectMany(Math.min(input.concurrency, Math.max(1, total)), {
      maxWaitMs: 0,
      wait: () => Promise.resolve(),
    });
    const destination = this.destination;
    const initialState = { ...state, question: state.question };
    const progress = createProgress({ noun: plural, total });
    const interrupt = watchInterrupts(() => progress.clear());
    const startedAt = performance.now();
    const { limiter, onProgress } = this.createPace(progress, state.rows, total, interrupt.signal);
    checkpoint?.saveNow(initialState);
    if (checkpoint?.problem) this.printNote(`No checkpoint: ${checkpoint.problem}. --resume will start with the first row`);
    this.refusalHint = RESUME_HINT;
    const result = await sendRows({
      reading,
      clients,
      limiter,
      signal: interrupt.signal,
      state: initialState,
      total,
      fields,
      checkpoint,
      refused,
      onRead: (count, recordCount) => progress.show(0, null, formatExisting(count, recordCount)),
      onProgress,
    });
    progress.clear();
    interrupt.release();
    refused.close();
    await this.finish(reading.source, input, parts, { ...result, interrupt, startedAt, destination });
  }

  /** The rate limit, and the progress that shows when requests wait for it. */
  private createPace(progress: Progress, startRow: number, total: number, signal: AbortSignal): Pace {
    const maxWait = (this.globals as { 'max-wait'?: number })['max-wait'] ?? RATE_WINDOW_S;
    let note = '';
    let done = startRow;
    const draw = (): void => drawProgress(progress, done, total, limiter.estimateSeconds(total - done), note);
    const limiter = createRateLimiter({
      signal,
      maxWait,
      onWait: (seconds, limit) => {
        note = `waiting ${formatCountdown(seconds)} for the rate limit`;
        const limitText = limit === null ? '' : ` of ${formatCount(limit)} requests per minute`;
        if (!process.stderr.isTTY)
          this.printNote(`Rate limit${limitText} reached after row ${formatCount(done)}; continuing in ${String(seconds)} s`);
        draw();
      },
    });
    const onProgress = (rows: number): void => {
      if (rows - done > 0 && limiter.estimateSeconds(total - rows) === null) note = '';
      done = rows;
      draw();
    };
    return { limiter, onProgress };
  }

  /** Saves or removes the checkpoint and reports the result. */
  private async finish(source: ImportSource, input: ImportInput, parts: SendParts, sent: SendResult): Promise<void> {
    const { plural, checkpoint, refused, checked } = parts;
    const { state, failure, interrupt, startedAt, destination } = sent;
    const { rows: total } = checked;
    const isComplete = state.rows >= total && !failure;
    const addedBytes = await source.getGrowth();
    const wasIncomplete = !isComplete && !failure && !interrupt.signal.aborted;
    if (isComplete && addedBytes === 0) checkpoint?.remove();
    else checkpoint?.saveNow(state);
    const summary: Summary = {
      status: isComplete ? 'done' : 'stopped',
      rows: total,
      settled: state.rows,
      ...state.counts,
      errors: state.counts.refused > 0 ? refused.path : null,
    };
    if (wasIncomplete) this.printNote(`${source.path} is still being written: its last row was incomplete and was not sent`);
    if (!isComplete) this.printNote(`Stopped after row ${formatCount(state.rows)} of ${formatCount(total)}; continue with --resume`);
    if (failure) throw this.toFailure(failure.error, destination);
    await this.reportSummary(summary, plural, startedAt, input.upsert);
    if (isComplete && addedBytes > 0) {
      this.printNote(`${source.path} has grown by ${formatCount(addedBytes)} bytes since it was checked; --resume imports the new rows`);
      if (source.endsMidLine) this.printNote(`Row ${formatCount(total)} may have been incomplete when it was imported; check it`);
    }
    process.exitCode =
      interrupt.exit !== null && !isComplete ? interrupt.exit : wasIncomplete || state.counts.refused > 0 ? EXIT.partial : EXIT.ok;
  }

  private toFailure(error: unknown, to: string): unknown {
    if (error instanceof RateLimitWaitTooLong)
      return new Failure('RATE_LIMITED', `Still rate limited; the window ends in ${formatCountdown(error.seconds)}`, {
        exit: EXIT.rateLimited,
        hint: `${RESUME_HINT}, and allow the wait with --max-wait ${String(error.seconds)}`,
        cause: error,
      });
    const { isLocal, dataDir } = this.getHintContext();
    if (error instanceof Unreachable)
      return new Failure('UNREACHABLE', error.message, {
        exit: EXIT.unreachable,
        hint: `${isLocal ? getStartHint(dataDir) : `Check whether ${to} responds`}, then continue with --resume`,
        cause: error,
      });
    return error;
  }

  private async reportSummary(summary: Summary, plural: string, startedAt: number, upsert?: string): Promise<void> {
    if (this.format === 'json') await this.out.write(`${JSON.stringify({ data: summary })}\n`);
    if (summary.status === 'checked') {
      const counts = [
        summary.created > 0 ? `${formatCount(summary.created)} to create` : '',
        summary.updated > 0 ? `${formatCount(summary.updated)} to update` : '',
        summary.unchanged > 0 ? `${formatCount(summary.unchanged)} unchanged` : '',
        summary.refused > 0 ? `${formatCount(summary.refused)} to reject` : '',
      ].filter(Boolean);
      const result = counts.length === 0 ? ', all valid' : `: ${counts.join(', ')}`;
      this.printNote(`${formatCountWithNoun(summary.rows, plural)} checked${result}. Dry run: nothing was sent`);
      return;
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const parts = [
      `${formatCount(summary.created)} created`,
      summary.updated > 0 ? `${formatCount(summary.updated)} updated` : '',
      summary.unchanged > 0 ? `${formatCount(summary.unchanged)} unchanged` : '',
      summary.repeated > 0 ? `${formatCount(summary.repeated)} already imported` : '',
      summary.refused > 0 ? `${formatCount(summary.refused)} rejected, see ${summary.errors ?? ''}` : '',
    ];
    const prefix = summary.status === 'done' ? `${formatCountWithNoun(summary.rows, plural)} in ${formatCountdown(seconds)}` : 'So far';
    this.printNote(`${prefix}: ${parts.filter(Boolean).join(', ')}`);
    if (summary.status === 'done' && summary.errors !== null && summary.errors !== devNull)
      this.printNote(`Fix the rejected rows and import them: \`stockroom ${this.formatRetry(summary.errors, upsert)}\``);
  }

  /** The command that imports the file of rejected rows. */
  private formatRetry(path: string, upsert: string | undefined): string {
    return [
      ...(this.id ?? '').split(':'),
      quoteForShell(path),
      ...(detectFormat(path) === 'ndjson' ? [] : ['--format ndjson']),
      ...(upsert === undefined ? [] : [`--upsert ${upsert}`]),
    ].join(' ');
  }
}

const formatExisting = (count: number, total: number): string => `${formatCount(count)} of ${formatCount(total)} existing records read`;

const RESUME_HINT = 'Continue with --resume';

const drawProgress = (progress: Progress, rows: number, total: number, least: number | null, note: string): void =>
  progress.show(rows, least !== null && rows < total ? least : null, note);

/** Returns the prefix of the idempotency keys: the same for all imports, if that is how rows that were imported are recognized. */
function createJobId({ fresh, upsert }: ImportInput): string {
  const findsRecords = upsert !== undefined && upsert !== ID;
  return fresh || findsRecords ? `import-${process.getBuiltinModule('node:crypto').randomUUID()}` : 'import';
}

/** Throws a usage error if the file was changed. Rows may have been added at the end. */
function assertSameFile({ path, digest, size, prefixDigest }: ImportSource, saved: ImportState): void {
  if (digest === saved.digest || (size > saved.size && prefixDigest === saved.digest)) return;
  throw usageError(`${path} changed since the import was interrupted`, 'Import it without --resume: rows that were imported are skipped');
}
