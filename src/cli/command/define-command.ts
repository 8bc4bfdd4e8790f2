/** Makes commands out of data and a function: global flags, output conventions and error handling are the same for all. */
import { Command, type Interfaces } from '@oclif/core';
import { EXIT } from '../errors/exit-codes.ts';
import { usageError } from '../errors/failure.ts';
import type { HintContext } from '../errors/hints.ts';
import { listOptions, mapValues, toParseFailure, withValueChecks } from '../errors/parse-errors.ts';
import { type Problem, toProblem } from '../errors/problem.ts';
import { replaceBooleanValues } from '../input/boolean-values.ts';
import { globalFlags } from '../input/common-flags.ts';
import { type GlobalFlags, Output } from '../command-output.ts';
import { printProblem } from '../output/print-problem.ts';
import { getTerminalWidth } from '../output/style.ts';
import { withProgramName } from '../program-name.ts';
import type { Access } from '../session/session.ts';

type Values<F> = Interfaces.InferredFlags<F>;

/** For commands without arguments or flags of their own. */
const NONE = {};
export type None = typeof NONE;

/** What a command works with. `F`: its own flags, `A`: its arguments, `G`: the flags of its access. */
export interface CommandContext<F, A, G, S> {
  readonly args: Interfaces.InferredArgs<A>;
  readonly flags: Values<F> & Values<G> & GlobalFlags;
  /** The words of the command line that are no flags. */
  readonly words: readonly string[];
  /** The command line as typed. */
  readonly argv: readonly string[];
  /** As typed: `items list`. */
  readonly command: string;
  readonly config: Interfaces.Config;
  readonly output: Output;
  readonly session: S;
  toProblem(thrown: unknown): Problem;
  /** Prints an error to stderr. */
  reportProblem(problem: Problem): void;
  /** Ends the process after the command, without waiting for pending requests to a slow service. */
  exitWhenDone(): void;
}

/** The types of flags and arguments are inferred from their definitions. */
export interface CommandDefinition<F extends object, A extends object, G extends object, S> {
  readonly summary: string;
  readonly description?: string | undefined;
  /** Without the name of the program: `items list --search bolt`. */
  readonly examples: readonly string[];
  readonly args?: A;
  readonly flags?: F;
  /** Whether the command takes more words than it has arguments. */
  readonly takesMoreWords?: boolean;
  readonly hiddenAliases?: string[];
  readonly usage?: string;
  readonly access?: Access<G, S>;
  /** The part of the command line that is parsed; throws if it is invalid. */
  readonly selectArgv?: (argv: readonly string[]) => readonly string[];
  run(context: CommandContext<F, A, G, S>): Promise<unknown>;
}

/** What all commands need of a session. */
interface CommonSession {
  getHintContext?(): Partial<HintContext>;
  readCurrency?(): Promise<string | undefined>;
  toFailure?(thrown: Error): Error;
}

/** Base of all commands, for oclif. */
abstract class StockroomCommand extends Command {
  static override baseFlags: Interfaces.FlagInput = globalFlags;

  #output = new Output({ flags: {}, argv: this.argv });
  #session: CommonSession | undefined;
  #given: Readonly<Record<string, unknown>> = {};
  #exitsWhenDone = false;

  protected override async parse<
    F extends Interfaces.OutputFlags<F>,
    B extends Interfaces.OutputFlags<B>,
    A extends Interfaces.OutputArgs<A>,
  >(
    options: Interfaces.Input<F, B, A> = this.ctor as Interfaces.Input<F, B, A>,
    argv?: string[],
  ): Promise<Interfaces.ParserOutput<F, B, A>> {
    const flags: Interfaces.FlagInput = { ...options.baseFlags, ...options.flags };
    try {
      return await super.parse(withValueChecks(options), replaceBooleanValues(argv ?? this.argv, flags));
    } catch (error) {
      throw toParseFailure(error, { command: this.commandName, argv: argv ?? this.argv, flags });
    }
  }

  /** Parses the command line and runs the definition. */
  protected async perform<F extends object, A extends object, G extends object, S>({
    access,
    selectArgv,
    run,
  }: CommandDefinition<F, A, G, S>): Promise<void> {
    // oclif sets it to what it parses.
    const typed = this.argv;
    const parsed = await this.parse(undefined, [...(selectArgv?.(typed) ?? typed)]);
    // oclif parses by the static fields of the class, which are those of the definition.
    const flags = parsed.flags as Values<F> & Values<G> & GlobalFlags;
    this.#given = flags;
    this.#output = new Output({ flags, argv: typed, readTenantCurrency: async () => this.#session?.readCurrency?.() });
    if (this.#output.isCsvSafe && (flags.output ?? 'csv') !== 'csv') throw usageError('--csv-safe requires -o csv');
    await this.#output.validateFilter();
    // Without an access, nothing is of the type of the session.
    const session = access?.open(flags, this.#output) as S;
    this.#session = session as CommonSession | undefined;
    const context: CommandContext<F, A, G, S> = {
      args: parsed.args as Interfaces.InferredArgs<A>,
      flags,
      words: parsed.argv.map(String),
      argv: typed,
      command: this.commandName,
      config: this.config,
      output: this.#output,
      session,
      toProblem: (thrown) => toProblem(thrown, this.getHintContext()),
      reportProblem: (problem) => this.reportProblem(problem),
      exitWhenDone: () => (this.#exitsWhenDone = true),
    };
    try {
      await run(context);
    } catch (error) {
      const finished = this.#output.finish();
      // What a failed command has printed may be incomplete JSON.
      await (getExit(error) === undefined ? finished.catch(() => undefined) : finished);
      throw error;
    }
    await this.#output.finish();
  }

  private get commandName(): string {
    return (this.id ?? '').replaceAll(':', ' ');
  }

  private getHintContext(): HintContext {
    const hasIdempotencyKey = 'idempotency-key' in { ...this.ctor.flags } ? this.#given['idempotency-key'] !== undefined : undefined;
    return { command: this.commandName, isLocal: true, hasIdempotencyKey, ...this.#session?.getHintContext?.() };
  }

  /** Reports every error of a command and sets the exit code. */
  protected override async catch(thrown: Error & { oclif?: { exit?: number } }): Promise<void> {
    const exit = getExit(thrown);
    if (exit !== undefined) {
      process.exitCode = exit;
      return;
    }
    const problem = toProblem(this.#session?.toFailure?.(thrown) ?? thrown, this.getHintContext());
    process.exitCode = problem.exit;
    if (this.#output.wantsJsonErrors && !this.#output.isStarted) {
      await this.#output.write(`${JSON.stringify({ error: problem })}\n`, 'json');
      return;
    }
    this.reportProblem(problem);
    if (problem.exit === EXIT.unexpected && problem.status === null && this.#output.isVerbose) this.#output.printNote(thrown.stack ?? '');
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    await super.finally(error);
    if (!this.#exitsWhenDone) return;
    await new Promise((resolve) => process.stdout.write('', resolve));
    process.exit();
  }

  private reportProblem(problem: Problem): void {
    // Before the hint is wrapped.
    printProblem(
      { ...problem, hint: problem.hint === null ? null : withProgramName(problem.hint) },
      {
        paint: this.#output.getPaint(process.stderr),
        terminalWidth: process.stderr.isTTY ? getTerminalWidth(process.stderr) : undefined,
        input: {
          flags: Object.keys({ ...this.ctor.baseFlags, ...this.ctor.flags }),
          args: Object.keys(this.ctor.args),
          given: this.#given,
          options: listOptions({ ...this.ctor.baseFlags, ...this.ctor.flags }),
        },
        write: (line) => this.#output.printLine(line),
      },
    );
  }
}

/** The code of `Errors.exit(n)`, which ends a command that has reported everything itself. */
const getExit = (thrown: unknown): number | undefined => {
  const { code, oclif } = (thrown ?? {}) as { code?: unknown; oclif?: { exit?: number } };
  return code === 'EEXIT' ? oclif?.exit : undefined;
};

const BIN = '<%= config.bin %>';

/** Returns the class that oclif loads. */
export function defineCommand<F extends object = None, A extends object = None, G extends object = None, S = undefined>(
  definition: CommandDefinition<F, A, G, S>,
): typeof Command {
  const {
    summary,
    description,
    examples,
    args = NONE,
    flags = NONE,
    hiddenAliases = [],
    usage,
    takesMoreWords = false,
    access,
  } = definition;
  return class extends StockroomCommand {
    static override summary = summary;
    static override description = description;
    static override examples = examples.map((example) => (example.includes(BIN) ? example : `${BIN} ${example}`));
    // Otherwise oclif reads a missing argument from stdin.
    static override args = mapValues(args as Interfaces.ArgInput, (_name, arg) => ({ ...arg, ignoreStdin: true }));
    static override baseFlags = { ...globalFlags, ...access?.flags } as Interfaces.FlagInput;
    static override flags = flags as Interfaces.FlagInput;
    static override strict = !takesMoreWords;
    static override hiddenAliases = hiddenAliases;
    static override usage = usage;

    async run(): Promise<void> {
      await this.perform(definition);
    }
  };
}
