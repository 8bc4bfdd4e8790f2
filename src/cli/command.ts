/** The manners of every command: flags, where words go, how errors end. Subclasses parse, call once, print. */
import { Command, type Interfaces } from '@oclif/core';
import { EXIT } from './exit-codes.ts';
import { type Problem, type Setting, problemOf } from './failure.ts';
import { chosenColumns } from './fields.ts';
import { globalFlags } from './flags.ts';
import type { Format } from './formats.ts';
import { nearest } from './nearest.ts';
import { type Page, type PrinterOptions, type Shown, type View, jsonText, namesOf, printPages, printRecord } from './printer.ts';
import { printProblem } from './problem.ts';
import { type Sink, sinkOf } from './stdout.ts';
import { type Paint, columnsOf, painter, wantsColor } from './style.ts';

/** The flags of this class, for commands that read them outside `run`. */
export type GlobalFlags = Interfaces.InferredFlags<typeof globalFlags>;

export abstract class StockroomCommand extends Command {
  static override baseFlags: Interfaces.FlagInput = globalFlags;

  protected readonly out: Sink = sinkOf(process.stdout);
  /** As parsed; before that, what the bare arguments tell. */
  protected globals: Partial<GlobalFlags> = {};

  protected override async parse<
    F extends Interfaces.OutputFlags<F>,
    B extends Interfaces.OutputFlags<B>,
    A extends Interfaces.OutputArgs<A>,
  >(options?: Interfaces.Input<F, B, A>, argv?: string[]): Promise<Interfaces.ParserOutput<F, B, A>> {
    const parsed = await super.parse(options, argv);
    this.globals = parsed.flags as Partial<GlobalFlags>;
    return parsed;
  }

  /** What the reader gets: `--output`, else a table on a terminal and tab-separated values in a pipe. */
  protected get format(): Format {
    if (this.wantsJson) return 'json';
    return this.globals.output ?? (process.stdout.isTTY ? 'table' : 'tsv');
  }

  protected get wantsJson(): boolean {
    return this.globals.json ?? asksForJson(this.argv);
  }

  /** Somebody sits at both ends and may be asked. */
  protected get canAsk(): boolean {
    return this.globals['no-input'] !== true && isInteractive();
  }

  protected paintFor(stream: { isTTY?: boolean }): Paint {
    return painter(wantsColor(stream, this.globals['no-color'] ?? this.argv.includes('--no-color')));
  }

  /** Talk for the person at the terminal: stderr, never data. */
  protected note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Prints `{ data: {…} }`. `text` is the body as it came, for `--json`. */
  protected async printOne(body: { readonly data: unknown }, view: View, text: string = JSON.stringify(body)): Promise<void> {
    await printRecord(body.data, text, view, this.printerOptions());
  }

  /** Prints `{ data: [{…}] }` that is there already. */
  protected async printList(body: { readonly data: readonly unknown[] }, view: View, text: string = JSON.stringify(body)): Promise<Shown> {
    const shown = await this.printPages(onlyPage({ rows: body.data, text }), view);
    this.tellHidden(shown);
    return shown;
  }

  /** Prints pages as they come. */
  protected async printPages(pages: AsyncIterable<Page>, view: View, paginationOf?: () => unknown): Promise<Shown> {
    return printPages(pages, view, this.printerOptions(), paginationOf);
  }

  /** Refuses a wrong `--columns` before anything is sent. */
  protected checked(view: View): View {
    if (this.globals.columns !== undefined) chosenColumns(this.globals.columns, namesOf(view));
    return view;
  }

  protected tellHidden({ hidden }: Shown): void {
    if (hidden.length === 0) return;
    const names = `hidden for lack of width: ${hidden.join(', ')}`;
    const text =
      names.length <= (this.screen ?? Infinity)
        ? names
        : `hidden for lack of width: ${String(hidden.length)} columns; choose with --columns`;
    this.note(this.paintFor(process.stderr)('dim', text));
  }

  /** A body that is no record: as it came with `--json`, else `human` on stdout. */
  protected async printText(text: string, human: string): Promise<void> {
    await this.out.write(this.format === 'json' ? `${jsonText(text, this.screen)}\n` : human);
  }

  /** Columns of the terminal; undefined in a pipe. */
  protected get screen(): number | undefined {
    return process.stdout.isTTY ? columnsOf(process.stdout) : undefined;
  }

  private printerOptions(): PrinterOptions {
    return {
      format: this.format,
      columns: this.globals.columns,
      screen: this.screen,
      paint: this.paintFor(process.stdout),
      sink: this.out,
    };
  }

  /** What a hint should know: overridden by commands that talk to a service. */
  protected setting(): Setting {
    // A command without any flags of its own has no list of them either.
    const keyed = 'idempotency-key' in { ...this.ctor.flags };
    return { command: (this.id ?? '').replaceAll(':', ' '), local: true, keyed };
  }

  /** The one place where a command ends badly. */
  protected override async catch(thrown: Error & { oclif?: { exit?: number } }): Promise<void> {
    // `this.exit(n)`: the command has said what there is to say.
    if (thrown.oclif?.exit !== undefined && 'code' in thrown && thrown.code === 'EEXIT') {
      process.exitCode = thrown.oclif.exit;
      return;
    }
    const problem = this.withFlagNames(problemOf(thrown, this.setting()));
    process.exitCode = problem.exit;
    if (this.wantsJson && !this.out.started) {
      await this.out.write(`${JSON.stringify({ error: problem })}\n`);
      return;
    }
    printProblem(problem, {
      paint: this.paintFor(process.stderr),
      screen: process.stderr.isTTY ? columnsOf(process.stderr) : undefined,
      flags: Object.keys({ ...this.ctor.baseFlags, ...this.ctor.flags }),
      args: Object.keys(this.ctor.args),
      write: (line) => this.note(line),
    });
    if (problem.exit === EXIT.unexpected && problem.status === null && (this.globals.verbose ?? this.argv.includes('--verbose')))
      this.note(thrown.stack ?? '');
  }

  /** A mistyped flag gets the nearest one that the command has, a mistyped value the nearest that is allowed. */
  private withFlagNames(problem: Problem): Problem {
    const [, value, values] = /cannot be "(.*)"; it (?:is one of|takes) (.*)$/su.exec(problem.message) ?? [];
    if (problem.code === 'usage' && value !== undefined && values !== undefined) {
      const meant = nearest(value, values.split(', '));
      return meant === null ? problem : { ...problem, hint: `did you mean ${meant}? ${problem.hint ?? ''}`.trim() };
    }
    const typed = /^there is no flag (--?[\w-]+)/u.exec(problem.message)?.[1];
    if (problem.code !== 'usage' || typed === undefined) return problem;
    const near = nearest(
      typed,
      Object.keys({ ...this.ctor.baseFlags, ...this.ctor.flags }).map((name) => `--${name}`),
    );
    return near === null ? problem : { ...problem, hint: `did you mean ${near}? ${problem.hint ?? ''}`.trim() };
  }
}

async function* onlyPage(page: Page): AsyncGenerator<Page> {
  yield await Promise.resolve(page);
}

/** A person at both ends, outside of CI. */
export const isInteractive = (): boolean => process.stdin.isTTY && process.stderr.isTTY && (process.env['CI'] ?? '') === '';

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? undefined : end).includes('--json');
}
