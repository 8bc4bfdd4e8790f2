/** Base of all commands: global flags, output conventions and error handling. Commands parse, make one call and print. */
import { Command, type Interfaces } from '@oclif/core';
import type { Target } from '../../client/target.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { HintContext } from '../errors/hints.ts';
import { usageError } from '../errors/failure.ts';
import { toParseFailure, withValueChecks } from '../errors/parse-errors.ts';
import { withProgramName } from '../program-name.ts';
import { printProblem } from '../output/print-problem.ts';
import { type Problem, toProblem } from '../errors/problem.ts';
import { globalFlags } from '../input/common-flags.ts';
import { hasJsonFlag } from '../input/json-flag.ts';
import { parseColumns } from '../output/fields.ts';
import type { Format } from '../output/formats.ts';
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
} from '../output/printer.ts';
import { type Sink, createSink } from '../output/stdout.ts';
import { sanitizeOutput } from '../../platform/terminal-text.ts';
import { type Paint, createPaint, getTerminalWidth, shouldUseColor } from '../output/style.ts';

/** The values of the global flags. */
export type GlobalFlags = Interfaces.InferredFlags<typeof globalFlags>;

export abstract class StockroomCommand extends Command {
  static override baseFlags: Interfaces.FlagInput = globalFlags;

  protected readonly out: Sink = createSink(process.stdout);
  /** Empty until the command line is parsed. */
  protected globals: Partial<GlobalFlags> = {};

  protected override async parse<
    F extends Interfaces.OutputFlags<F>,
    B extends Interfaces.OutputFlags<B>,
    A extends Interfaces.OutputArgs<A>,
  >(
    options: Interfaces.Input<F, B, A> = this.ctor as Interfaces.Input<F, B, A>,
    argv?: string[],
  ): Promise<Interfaces.ParserOutput<F, B, A>> {
    let parsed: Interfaces.ParserOutput<F, B, A>;
    try {
      parsed = await super.parse(withValueChecks(options), argv);
    } catch (error) {
      throw toParseFailure(error, this.commandName);
    }
    this.globals = parsed.flags as Partial<GlobalFlags>;
    if (this.isCsvSafe && (this.globals.output ?? 'csv') !== 'csv') throw usageError('--csv-safe requires -o csv');
    return parsed;
  }

  /** As typed: `items list`. */
  private get commandName(): string {
    return (this.id ?? '').replaceAll(':', ' ');
  }

  /** The format of `--output`; by default a table on a terminal, tab-separated values in a pipe. */
  protected get format(): Format {
    if (this.wantsJson) return 'json';
    return this.globals.output ?? (this.isCsvSafe ? 'csv' : process.stdout.isTTY ? 'table' : 'tsv');
  }

  protected get isCsvSafe(): boolean {
    return this.globals['csv-safe'] === true;
  }

  protected get wantsJson(): boolean {
    return this.globals.json ?? hasJsonFlag(this.argv);
  }

  protected get canPrompt(): boolean {
    return this.globals['no-input'] !== true && isInteractive();
  }

  protected getPaint(stream: { isTTY?: boolean }): Paint {
    return createPaint(shouldUseColor(stream, this.globals['no-color'] ?? this.argv.includes('--no-color')));
  }

  /** Prints a message to stderr; stdout is for data only. */
  protected printNote(text: string): void {
    process.stderr.write(`${sanitizeOutput(withProgramName(text))}\n`);
  }

  /** Reports project files that were not read, because without them another service may receive the requests. */
  protected reportIgnoredFiles({ ignoredFiles }: Pick<Target, 'ignoredFiles'>): void {
    for (const { path, reason } of ignoredFiles) this.printNote(`Ignored ${path}: ${reason}`);
  }

  /** Prints `{ data: {…} }`. `text`: the body as received, for `--json`. */
  protected async printOne(body: { readonly data: unknown }, view: View, text: string = JSON.stringify(body)): Promise<void> {
    await printRecord(body.data, text, view, this.getPrinterOptions());
  }

  /** Prints a complete list `{ data: [{…}] }`. `text`: the body as received, for `--json`. */
  protected async printList(
    body: { readonly data: readonly unknown[] },
    view: View,
    text: string = JSON.stringify(body),
  ): Promise<PrintResult> {
    const result = await this.printPages(toPages({ rows: body.data, text }), view);
    this.reportHiddenColumns(result);
    return result;
  }

  /** Prints the pages of a list as they arrive. */
  protected async printPages(pages: AsyncIterable<Page>, view: View, getPagination?: () => unknown): Promise<PrintResult> {
    return printPages(pages, view, this.getPrinterOptions(), getPagination);
  }

  /** Fails if the output of a view cannot have the requested columns or ids, before a request is sent. Returns the view. */
  protected validateOutput(view: View): View {
    if (this.format === 'id' && !view.fields.includes('id')) throw createNoIdError();
    if (this.globals.columns !== undefined) parseColumns(this.globals.columns, listColumnNames(view));
    return view;
  }

  protected reportHiddenColumns({ hidden }: PrintResult): void {
    if (hidden.length === 0) return;
    const names = `Columns hidden (narrow terminal): ${hidden.join(', ')}`;
    const fits = names.length <= (this.terminalWidth ?? Infinity);
    const text = fits ? names : `${String(hidden.length)} columns hidden (narrow terminal); choose columns with --columns`;
    this.printNote(this.getPaint(process.stderr)('dim', text));
  }

  /** Prints a body that is no record: as received with `--json`, else `human`. */
  protected async printText(text: string, human: string): Promise<void> {
    if (this.format === 'json') await this.out.write(`${formatJson(text, this.terminalWidth)}\n`, 'json');
    else await this.out.write(human);
  }

  /** Undefined if stdout is no terminal. */
  protected get terminalWidth(): number | undefined {
    return process.stdout.isTTY ? getTerminalWidth(process.stdout) : undefined;
  }

  /** Prints a record and a secret that no other response contains: whatever columns were selected, it is one of them. */
  protected async printWithSecret(
    data: object,
    { field, secret }: { field: string; secret: string },
    view: View,
    text: string,
  ): Promise<void> {
    const shown = { fields: [...view.fields, field], columns: [...view.columns, field] };
    const { columns } = this.globals;
    const isSelected = columns === undefined || columns.split(',').some((name) => name.trim() === field);
    const options = { ...this.getPrinterOptions(), columns: isSelected ? columns : `${columns},${field}` };
    await printRecord({ ...data, [field]: secret }, text, shown, options);
  }

  private getPrinterOptions(): PrinterOptions {
    return {
      format: this.format,
      columns: this.globals.columns,
      isCsvSafe: this.isCsvSafe,
      terminalWidth: this.terminalWidth,
      paint: this.getPaint(process.stdout),
      sink: this.out,
    };
  }

  /** Overridden by commands that talk to a service. */
  protected getHintContext(): HintContext {
    // `flags` is undefined for commands without flags of their own.
    const hasIdempotencyKey = 'idempotency-key' in { ...this.ctor.flags };
    return { command: this.commandName, isLocal: true, hasIdempotencyKey };
  }

  /** Reports every error of a command and sets the exit code. */
  protected override async catch(thrown: Error & { oclif?: { exit?: number } }): Promise<void> {
    // `this.exit(n)` ends a command that has reported everything itself.
    if (thrown.oclif?.exit !== undefined && 'code' in thrown && thrown.code === 'EEXIT') {
      process.exitCode = thrown.oclif.exit;
      return;
    }
    const problem = toProblem(thrown, this.getHintContext());
    process.exitCode = problem.exit;
    if (this.wantsJson && !this.out.started) {
      await this.out.write(`${JSON.stringify({ error: problem })}\n`, 'json');
      return;
    }
    this.reportProblem(problem);
    if (problem.exit === EXIT.unexpected && problem.status === null && (this.globals.verbose ?? this.argv.includes('--verbose')))
      this.printNote(thrown.stack ?? '');
  }

  /** Prints an error to stderr. */
  protected reportProblem(problem: Problem): void {
    // Before the hint is wrapped.
    printProblem(
      { ...problem, hint: problem.hint === null ? null : withProgramName(problem.hint) },
      {
        paint: this.getPaint(process.stderr),
        terminalWidth: process.stderr.isTTY ? getTerminalWidth(process.stderr) : undefined,
        input: {
          flags: Object.keys({ ...this.ctor.baseFlags, ...this.ctor.flags }),
          args: Object.keys(this.ctor.args),
          given: this.globals,
        },
        write: (line) => this.printNote(line),
      },
    );
  }
}

async function* toPages(page: Page): AsyncGenerator<Page> {
  yield await Promise.resolve(page);
}

/** Whether a person can be asked: stdin and stderr are terminals, and this is no CI job. */
export const isInteractive = (): boolean => process.stdin.isTTY && process.stderr.isTTY && (process.env['CI'] ?? '') === '';
