/** The output of one command: format, columns, notes and records, as the global flags say. */
import type { Interfaces } from '@oclif/core';
import { isReadableByOthers } from '../client/settings/key-file-access.ts';
import type { Target } from '../client/settings/target.ts';
import { sanitizeOutput } from '../platform/terminal-text.ts';
import { EXIT } from './errors/exit-codes.ts';
import { usageError } from './errors/failure.ts';
import { quoteForShell } from './errors/hints.ts';
import type { globalFlags } from './input/common-flags.ts';
import { hasFlag } from './typed-flag.ts';
import { withProgramName } from './program-name.ts';
import { parseColumns } from './output/fields.ts';
import { type JqSink, checkJq, createJqSink, createJqStream } from './output/jq.ts';
import type { Format } from './output/formats.ts';
import {
  createNoIdError,
  type Page,
  type PrintResult,
  type PrinterOptions,
  type View,
  formatJson,
  listColumnNames,
  printPages,
  printRecord,
} from './output/printer.ts';
import { type Sink, createSink } from './output/stdout.ts';
import { type Paint, createPaint, getTerminalWidth, shouldUseColor } from './output/style.ts';
import { wrapText } from './output/text-width.ts';

/** The values of the global flags. */
export type GlobalFlags = Interfaces.InferredFlags<typeof globalFlags>;

interface OutputOptions {
  /** Empty until the command line is parsed. */
  readonly flags: Partial<GlobalFlags>;
  readonly argv: readonly string[];
  /** Instead of that of the flags. */
  readonly format?: Format;
  readonly sink?: Sink;
  /** The currency of amounts whose record names none, for tables; undefined if it is unknown. */
  readonly readTenantCurrency?: () => Promise<string | undefined>;
}

export class Output {
  readonly #options: OutputOptions;
  readonly #sink: Sink;
  readonly #filter: JqSink | undefined;
  /** Where complete values are written when they arrive. */
  readonly #stream: Sink;
  #hasWritten = false;

  constructor(options: OutputOptions) {
    this.#options = options;
    const { jq } = options.flags;
    const sink = options.sink ?? createSink(process.stdout);
    this.#filter = jq === undefined || options.sink ? undefined : createJqSink(sink, jq);
    this.#sink = this.#filter ?? sink;
    this.#stream = jq === undefined || options.sink ? sink : createJqStream(sink, jq, (message) => this.#reportSkipped(message));
  }

  /** Records that the command has changed something. */
  markWritten(): void {
    this.#hasWritten = true;
  }

  #reportSkipped(message: string): void {
    process.exitCode = EXIT.usage;
    this.printNote(`Error: ${message}`);
  }

  /** Fails if `--jq` is no expression, before anything is sent. */
  async validateFilter(): Promise<void> {
    const { jq } = this.#options.flags;
    if (jq !== undefined) await checkJq(jq);
  }

  /** Prints what `--jq` selects. */
  async finish(): Promise<void> {
    await this.#filter?.finish(this.#hasWritten);
  }

  /** The same output in another format. */
  withFormat(format: Format): Output {
    return new Output({ ...this.#options, format, sink: this.#sink });
  }

  /** The same output for rows without an end: by default NDJSON, except at a terminal. `--jq` filters each row. */
  forStream(): Output {
    const isPiped = this.wantsJson || !process.stdout.isTTY;
    const format = this.#options.flags.output ?? (isPiped ? 'ndjson' : 'table');
    return new Output({ ...this.#options, format, sink: this.#stream });
  }

  /** The same for rows whose table has a form of its own. Fails for columns and other formats. */
  forLines(): Output {
    if (this.columns !== undefined) throw usageError('This command does not support --columns', 'Choose fields with --jq');
    const { output = 'table' } = this.#options.flags;
    if (output !== 'table' && output !== 'ndjson')
      throw usageError(`This command does not support -o ${output}`, 'Use -o table or -o ndjson');
    return this.forStream();
  }

  /** The format of `--output`; by default a table on a terminal, tab-separated values in a pipe. */
  get format(): Format {
    const { format, flags } = this.#options;
    if (format !== undefined) return format;
    if (this.wantsJson) return 'json';
    return flags.output ?? (this.isCsvSafe ? 'csv' : process.stdout.isTTY ? 'table' : 'tsv');
  }

  /** Whether `--json` or `--output` chooses the format. */
  get isFormatChosen(): boolean {
    const { json, jq, output } = this.#options.flags;
    return json === true || jq !== undefined || output !== undefined;
  }

  /** `--columns` as typed. */
  get columns(): string | undefined {
    return this.#options.flags.columns;
  }

  /** Whether `--columns` has the column, by its path or by the last part of it. */
  selectsColumn(column: string): boolean {
    return this.columns?.split(',').some((name) => column === name.trim() || column.endsWith(`.${name.trim()}`)) === true;
  }

  /** Whether a table without chosen columns is printed, which has room for more than the record. */
  get isPlainTable(): boolean {
    return this.format === 'table' && this.columns === undefined;
  }

  get isCsvSafe(): boolean {
    return this.#options.flags['csv-safe'] === true;
  }

  get wantsJson(): boolean {
    return this.#options.flags.jq !== undefined || (this.#options.flags.json ?? hasFlag(this.#options.argv, '--json'));
  }

  /** Whether errors are printed as JSON; those of a filtered output are for people. */
  get wantsJsonErrors(): boolean {
    return this.wantsJson && this.#filter === undefined;
  }

  get isVerbose(): boolean {
    return this.#options.flags.verbose ?? hasFlag(this.#options.argv, '--verbose');
  }

  get canPrompt(): boolean {
    return this.#options.flags['no-input'] !== true && isInteractive();
  }

  /** Undefined if stdout is no terminal. */
  get terminalWidth(): number | undefined {
    return process.stdout.isTTY ? getTerminalWidth(process.stdout) : undefined;
  }

  /** Whether something was written to stdout. */
  get isStarted(): boolean {
    return this.#sink.started;
  }

  getPaint(stream: { isTTY?: boolean }): Paint {
    return createPaint(shouldUseColor(stream, this.#options.flags['no-color'] ?? hasFlag(this.#options.argv, '--no-color')));
  }

  /** Writes to stdout. */
  write: Sink['write'] = (text, syntax) => this.#sink.write(text, syntax);

  /** Prints a message to stderr, on a terminal wrapped at words; stdout is for data only. */
  printNote(text: string): void {
    for (const line of wrapNote(text)) this.printLine(line);
  }

  /** The same, less prominent on a terminal. */
  printDimNote(text: string): void {
    const paint = this.getPaint(process.stderr);
    for (const line of wrapNote(text)) this.printLine(paint('dim', line));
  }

  /** Prints a line to stderr that is laid out already. */
  printLine(line: string): void {
    process.stderr.write(`${sanitizeOutput(line)}\n`);
  }

  /** Reports project files that were not read, because without them another service may receive the requests. */
  reportIgnoredFiles({ ignoredFiles }: Pick<Target, 'ignoredFiles'>): void {
    for (const { path, reason } of ignoredFiles) this.printNote(`Ignored ${path}: ${reason}`);
  }

  /** Warns about a file with an API key, or `-` for stdin. */
  warnIfReadableByOthers(path: string): void {
    if (path !== '-' && isReadableByOthers(path))
      this.printNote(`Warning: other users can read the API key in ${path}. Protect it with \`chmod 600 ${quoteForShell(path)}\``);
  }

  /** Prints `{ data: {…} }`. `text`: the body as received, for `--json`. */
  async printOne(body: { readonly data: unknown }, view: View, text: string = JSON.stringify(body)): Promise<void> {
    await printRecord(body.data, text, view, this.#printerOptions());
  }

  /** Prints a complete list `{ data: [{…}] }`. `text`: the body as received, for `--json`. */
  async printList(body: { readonly data: readonly unknown[] }, view: View, text: string = JSON.stringify(body)): Promise<PrintResult> {
    const result = await this.printPages(toPages({ rows: body.data, text }), view);
    this.reportHiddenColumns(result);
    return result;
  }

  /** Prints the pages of a list as they arrive. */
  async printPages(pages: AsyncIterable<Page>, view: View, getPagination?: () => unknown): Promise<PrintResult> {
    return printPages(pages, view, this.#printerOptions(), getPagination);
  }

  /** Prints a body that is no record: as received with `--json`, else `human`. */
  async printText(text: string, human: string): Promise<void> {
    if (this.format === 'json') await this.write(`${formatJson(text, this.terminalWidth)}\n`, 'json');
    else await this.write(human);
  }

  /** Prints a record and a secret that no other response contains: whatever columns were selected, it is one of them. */
  async printWithSecret(data: object, { field, secret }: { field: string; secret: string }, view: View, text: string): Promise<void> {
    const { columns } = this;
    const selected = columns === undefined || this.selectsColumn(field) ? columns : `${columns},${field}`;
    const options = { ...this.#printerOptions(), columns: selected };
    await printRecord({ ...data, [field]: secret }, text, { ...view, columns: [...view.columns, field] }, options);
  }

  /** Fails if the output of a view cannot have the requested columns or ids, before a request is sent. Returns the view. */
  validateView(view: View): View {
    if (this.format === 'id' && !view.fields.includes('id')) throw createNoIdError();
    if (this.columns !== undefined) parseColumns(this.columns, listColumnNames(view));
    return view;
  }

  /** A table without rows has no header: no output at all would look like a failure. */
  printNoRows(): void {
    if (process.stdout.isTTY) this.printDimNote('No results');
  }

  reportHiddenColumns({ hidden: { constants, missing } }: PrintResult): void {
    const width = this.terminalWidth ?? Infinity;
    if (constants.length > 0) this.printDimNote(`In all rows: ${constants.join(', ')}`);
    if (missing.length === 0) return;
    const names = `No room for ${missing.join(', ')}; choose with --columns`;
    const fits = names.length <= width;
    this.printDimNote(fits ? names : `No room for ${String(missing.length)} more columns; choose with --columns`);
  }

  #printerOptions(): PrinterOptions {
    const { format, columns, isCsvSafe, terminalWidth } = this;
    const { readTenantCurrency } = this.#options;
    return { format, columns, isCsvSafe, terminalWidth, paint: this.getPaint(process.stdout), sink: this.#sink, readTenantCurrency };
  }
}

/** Lines that are indented or have columns are laid out already. */
const LAID_OUT = / {2}/u;

/** The lines of a note, with commands that the user can run. */
function wrapNote(text: string): readonly string[] {
  const width = process.stderr.isTTY ? getTerminalWidth(process.stderr) : Infinity;
  const lines = withProgramName(text).split('\n');
  return lines.flatMap((line) => (LAID_OUT.test(line) ? [line] : wrapText(line, width)));
}

/** Lets `--columns` choose a secret that is no field of the record, and fails for other unknown columns. */
export const addSecretColumn = (output: Output, view: View, field: string): View =>
  output.validateView({ ...view, fields: [...view.fields, field] });

async function* toPages(page: Page): AsyncGenerator<Page> {
  yield await Promise.resolve(page);
}

/** Whether a person can be asked: stdin and stderr are terminals, and this is no CI job. */
export const isInteractive = (): boolean => process.stdin.isTTY && process.stderr.isTTY && (process.env['CI'] ?? '') === '';
