/** `items import` and `contacts import`: flags, what is said, and how it ends. `import-job.ts` does the work. */
import { Args, Flags } from '@oclif/core';
import { Unreachable } from '../../client/errors.ts';
import { IDEMPOTENCY_VALIDITY_H, RATE_WINDOW_S } from '../../contract/limits.ts';
import { ApiCommand } from '../api-command.ts';
import { EXIT } from '../exit-codes.ts';
import { Failure, type Setting, startHint, usage } from '../failure.ts';
import { type Checkpoint, type Counts, type ImportState, openCheckpoint, readCheckpoint } from './checkpoint.ts';
import { parseMap } from './columns.ts';
import { type Checked, type Reading, checkAll, problemsAsError, sendRows } from './import-job.ts';
import { preferSmallHeap } from '../frugal.ts';
import { watchInterrupts } from './interrupt.ts';
import { TooLong, newPace } from './pace.ts';
import { type Progress, counted, grouped, newProgress, timeText } from './progress.ts';
import { BULK_FORMATS, type BulkFormat, formatOf } from './records.ts';
import { type RefusedFile, openRefused } from './refused.ts';
import type { Resource, RowOptions } from './rows.ts';
import { type Source, openSource } from './source.ts';
import { type Spool, spoolStdin } from './spool.ts';

const CONCURRENCY = 32;
const CONCURRENCY_MAX = 128;
const ERRORS_FILE = 'errors.ndjson';

export const importArgs = {
  file: Args.string({ required: true, ignoreStdin: true, description: 'A CSV file with a header line, an NDJSON file, or - for stdin.' }),
};

export const importFlags = {
  format: Flags.option({ options: BULK_FORMATS, description: 'What the file is. Default: by the end of its name.' })(),
  map: Flags.string({
    helpValue: 'COLUMN=FIELD',
    multiple: true,
    multipleNonGreedy: true,
    description: 'Which field a column is; COLUMN= leaves it out. Columns that are called like a field need none. Repeatable.',
  }),
  resume: Flags.boolean({ description: 'Go on where an import of this file was cut off.' }),
  'skip-invalid': Flags.boolean({ description: 'Import the right rows although others are wrong. Default: then none is sent.' }),
  'dry-run': Flags.boolean({ description: 'Check every row and send nothing.', exclusive: ['resume'] }),
  fresh: Flags.boolean({
    description: `Send rows again that this file sent in the last ${String(IDEMPOTENCY_VALIDITY_H)} hours. Default: the service repeats its answer.`,
    exclusive: ['resume'],
  }),
  errors: Flags.string({ helpValue: 'FILE', description: `Where refused rows go, with the reason. Default: ${ERRORS_FILE}.` }),
  concurrency: Flags.integer({ helpValue: 'N', min: 1, max: CONCURRENCY_MAX, default: CONCURRENCY, description: 'Requests at once.' }),
  encoding: Flags.string({ helpValue: 'NAME', description: 'Of the file, such as windows-1252. Default: UTF-8, or UTF-16 when marked.' }),
  delimiter: Flags.string({
    helpValue: 'CHAR',
    description: 'Between the values of a CSV row, or "tab". Default: what the header line has.',
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

/** What `--json` prints under `data`. */
interface Summary extends Counts {
  readonly status: 'done' | 'stopped' | 'checked';
  readonly rows: number;
  readonly settled: number;
  readonly errors: string | null;
}

export abstract class ImportCommand extends ApiCommand {
  private advice: string | undefined;

  protected override setting(): Setting {
    return { ...super.setting(), ...(this.advice === undefined ? {} : { advice: this.advice }) };
  }

  protected async import(resource: Resource, input: ImportInput): Promise<void> {
    preferSmallHeap();
    const spool = input.file === '-' ? await spoolStdin() : undefined;
    if (spool && input.resume) throw usage('--resume needs a file: stdin cannot be read again');
    const source = await openSource(spool?.path ?? input.file, spool ? 'stdin' : input.file);
    try {
      await this.imported(resource, input, source, spool);
    } finally {
      await source.close();
      spool?.remove();
    }
  }

  private async imported(resource: Resource, input: ImportInput, source: Source, spool: Spool | undefined): Promise<void> {
    const plural = `${resource.what}s`;
    const map = parseMap(input.map ?? [], resource.create.body);
    const format = input.format ?? spool?.format ?? formatOf(source.path);
    if (format === undefined)
      throw usage(`${source.path} could be anything`, `say what it is with --format ${BULK_FORMATS.join(' or --format ')}`);
    const checkpointPath = spool ? undefined : `${source.path}.checkpoint`;
    const { bodyProblems } = await import('../../contract/problems.ts');
    const rows: RowOptions = {
      resource,
      map,
      upsert: input.upsert,
      check: (body) => bodyProblems(resource.create.body, body),
    };
    const reading: Reading = { source, format, encoding: input.encoding, delimiter: input.delimiter, rows };
    const question = JSON.stringify([resource.what, [...map], input.upsert, format, input.encoding, input.delimiter]);

    const earlier = checkpointPath === undefined ? undefined : await readCheckpoint(checkpointPath, input.resume);
    const saved = input.resume ? earlier : undefined;
    if (input.resume && !saved) this.note(`there is no checkpoint ${checkpointPath ?? ''}: beginning with the first row`);
    if (saved && saved.question !== question)
      throw usage(`${checkpointPath ?? ''} belongs to an import with other flags`, 'use the same ones, or leave --resume out');
    const errors = saved?.errors ?? input.errors ?? (source.path === ERRORS_FILE ? 'errors.2.ndjson' : ERRORS_FILE);
    const refused = openRefused(errors, saved?.errorsBytes);
    const checked = await this.check(reading, saved, plural, input, refused);
    if (input['dry-run']) {
      await this.tell({ status: 'checked', rows: checked.rows, settled: 0, ...NONE, errors: null }, plural, performance.now());
      return;
    }
    if (!saved && earlier && earlier.digest === source.digest && earlier.rows > 0)
      this.note(`an earlier import stopped behind row ${grouped(earlier.rows)}; --resume would go on there`);
    const job = saved?.job ?? jobOf(question, source.digest, input.fresh);
    const state: ImportState = {
      ...(saved ?? { question, job, rows: 0, counts: { ...NONE }, errors, errorsBytes: 0 }),
      size: source.size,
      digest: source.digest,
      at: new Date().toISOString(),
    };
    const checkpoint = checkpointPath === undefined ? undefined : openCheckpoint(checkpointPath);
    await this.send(reading, input, { plural, state, checkpoint, refused, total: checked.rows });
  }

  /** The whole file, before the first row is sent. */
  private async check(
    reading: Reading,
    saved: ImportState | undefined,
    plural: string,
    input: ImportInput,
    refused: RefusedFile,
  ): Promise<Checked> {
    const { source } = reading;
    const progress = newProgress({ what: plural, done: 'checked', total: null });
    const ignored: string[] = [];
    const rows: RowOptions = { ...reading.rows, onPlan: (plan) => ignored.push(...plan.ignored) };
    const mayKeep = !saved && !input['skip-invalid'] && !input['dry-run'];
    const checked = await checkAll({ ...reading, rows }, saved?.size ?? 0, (row) => {
      progress.show(row.number);
      if (mayKeep && row.problems.length > 0) refused.add({ line: row.line, body: row.body, error: problemsAsError(row.problems) });
    }).finally(() => {
      progress.clear();
      if (mayKeep) refused.close();
    });
    if (saved) refuseOtherFile(source, saved);
    if (ignored.length > 0) this.note(`left out, because the service sets them: ${ignored.join(', ')}`);
    if (checked.rows === 0) this.note(`${source.path} has no rows`);
    if (checked.wrong > 0 && (!input['skip-invalid'] || input['dry-run'])) {
      const shown = checked.problems.map(({ line, column, message }) => ({ line, column, problem: message }));
      throw new Failure(
        'invalid_rows',
        `${grouped(checked.wrong)} of ${counted(checked.rows, plural)} ${checked.wrong === 1 ? 'is' : 'are'} not right; nothing was sent`,
        {
          exit: EXIT.usage,
          hint: `mend ${checked.wrong === 1 ? 'it' : 'them'}, or import the others with --skip-invalid${mayKeep ? `; ${refused.path} has every one` : ''}`,
          details: { problems: shown },
        },
      );
    }
    return checked;
  }

  private async send(
    reading: Reading,
    input: ImportInput,
    {
      plural,
      state,
      checkpoint,
      refused,
      total,
    }: { plural: string; state: ImportState; checkpoint: Checkpoint | undefined; refused: RefusedFile; total: number },
  ): Promise<void> {
    const maxWait = (this.globals as { 'max-wait'?: number })['max-wait'] ?? RATE_WINDOW_S;
    const lanes = await this.connectLanes(Math.min(input.concurrency, Math.max(1, total)), { maxWaitMs: 0, wait: () => Promise.resolve() });
    const to = this.destination;
    const fitting = { ...state, question: state.question };
    const progress = newProgress({ what: plural, total });
    const interrupt = watchInterrupts(() => progress.clear());
    const startedAt = performance.now();
    let note = '';
    let done = state.rows;
    const pace = newPace({
      signal: interrupt.signal,
      maxWait,
      onWait: (seconds, limit) => {
        note = `waiting ${timeText(seconds)} for the rate limit`;
        const many = limit === null ? '' : ` of ${grouped(limit)} a minute`;
        if (!process.stderr.isTTY) this.note(`rate limit${many} reached behind row ${grouped(done)}; going on in ${String(seconds)} s`);
        draw(progress, done, total, pace.secondsFor(total - done), note);
      },
    });
    checkpoint?.saveNow(fitting);
    if (checkpoint?.problem) this.note(`no checkpoint is kept, because ${checkpoint.problem}; --resume will begin with the first row`);
    this.advice = `the same command with --resume goes on`;
    const { state: last, failure } = await sendRows({
      reading,
      lanes,
      pace,
      signal: interrupt.signal,
      state: fitting,
      total,
      checkpoint,
      refused,
      onSettled: (rows) => {
        if (rows - done > 0 && pace.secondsFor(total - rows) === null) note = '';
        done = rows;
        draw(progress, rows, total, pace.secondsFor(total - rows), note);
      },
    });
    progress.clear();
    interrupt.release();
    refused.close();
    const isWhole = last.rows >= total && !failure;
    const { path, isOpenEnded } = reading.source;
    const grown = await reading.source.growth();
    const isCut = !isWhole && !failure && !interrupt.signal.aborted;
    if (isWhole && grown === 0) checkpoint?.remove();
    else checkpoint?.saveNow(last);
    const summary: Summary = {
      status: isWhole ? 'done' : 'stopped',
      rows: total,
      settled: last.rows,
      ...last.counts,
      errors: last.counts.refused > 0 ? refused.path : null,
    };
    if (isCut) this.note(`${path} is still being written: its last row was cut off when it was checked, and was not sent`);
    if (!isWhole) this.note(`stopped behind row ${grouped(last.rows)} of ${grouped(total)}; the same command with --resume goes on`);
    if (failure) throw this.failureOf(failure.error, to);
    await this.tell(summary, plural, startedAt);
    if (isWhole && grown > 0) {
      this.note(`${path} has grown by ${grouped(grown)} bytes since it was checked; --resume imports what was added`);
      if (isOpenEnded) this.note(`row ${grouped(total)} was imported as it was then, perhaps cut off: compare it`);
    }
    process.exitCode = interrupt.exit !== null && !isWhole ? interrupt.exit : isCut || last.counts.refused > 0 ? EXIT.partial : EXIT.ok;
  }

  private failureOf(error: unknown, to: string): unknown {
    if (error instanceof TooLong)
      return new Failure('RATE_LIMITED', `still rate limited: the window ends in ${timeText(error.seconds)}`, {
        exit: EXIT.rateLimited,
        hint: `${this.advice ?? ''}; allow the wait with --max-wait ${String(error.seconds)}`,
        cause: error,
      });
    const { local, dataDir } = this.setting();
    if (error instanceof Unreachable)
      return new Failure('unreachable', error.message, {
        exit: EXIT.unreachable,
        hint: `${local ? startHint(dataDir) : `see whether ${to} answers`}; then the same command with --resume goes on`,
        cause: error,
      });
    return error;
  }

  private async tell(summary: Summary, plural: string, startedAt: number): Promise<void> {
    if (this.format === 'json') await this.out.write(`${JSON.stringify({ data: summary })}\n`);
    if (summary.status === 'checked') {
      this.note(`${counted(summary.rows, plural)} checked, nothing wrong; dry run: nothing was sent`);
      return;
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const parts = [
      `${grouped(summary.created)} created`,
      summary.updated > 0 ? `${grouped(summary.updated)} updated` : '',
      summary.repeated > 0 ? `${grouped(summary.repeated)} were imported before` : '',
      summary.refused > 0 ? `${grouped(summary.refused)} refused, see ${summary.errors ?? ''}` : '',
    ];
    const what = summary.status === 'done' ? `${counted(summary.rows, plural)} in ${timeText(seconds)}` : 'so far';
    this.note(`${what}: ${parts.filter(Boolean).join(', ')}`);
  }
}

const NONE: Counts = { created: 0, updated: 0, repeated: 0, refused: 0 };

const draw = (progress: Progress, rows: number, total: number, least: number | null, note: string): void =>
  progress.show(rows, least !== null && rows < total ? least : null, note);

/** What every idempotency key of this file begins with: the same file imported in the same way has the same keys. */
function jobOf(question: string, digest: string, fresh: boolean): string {
  const { hash, randomUUID } = process.getBuiltinModule('node:crypto');
  return `import-${hash('sha256', `${question}\n${digest}\n${fresh ? randomUUID() : ''}`).slice(0, 32)}`;
}

/** A file that only grew behind a line's end is the same file; its new rows come behind the old ones. */
function refuseOtherFile({ path, digest, size, prefixDigest }: Source, saved: ImportState): void {
  if (digest === saved.digest || (size > saved.size && prefixDigest === saved.digest)) return;
  throw usage(`${path} is not the file that was being imported: it was changed`, 'import it without --resume');
}
