/** Help that fits a screen: an overview without arguments, one usage line per command, flags in the order a reader needs them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, CommandHelp, Errors, Help, type Interfaces } from '@oclif/core';
import { FLAGS_FILE } from './flags-file.ts';
import { HELP_TOPICS } from './help-topics.ts';

/** What to try first. */
const FIRST_STEPS = [
  ['daemon start', 'start the local service'],
  ["items create --name 'Hex bolt M6'", 'put something in'],
  ['items list', 'see what is there'],
  ['orders list sell --status open', 'what customers wait for'],
] as const;

/** The order of the overview. A topic or command that is in no group is listed under the last one. */
const GROUPS = [
  ['records', ['items', 'contacts', 'orders', 'stock', 'organization']],
  ['insight', ['usage', 'audit', 'auth', 'capabilities', 'dashboard']],
  ['events', ['webhooks', 'mcp', 'openapi']],
  ['service', ['daemon', 'demo', 'seed', 'pull', 'snapshot', 'reset', 'clock', 'faults', 'doctor']],
  ['settings', ['tenants', 'keys', 'tiers', 'users', 'sites', 'units', 'categories', 'apps', 'oauth']],
  ['tools', ['api', 'profile', 'config', 'exec', 'completion', 'help']],
] as const;

export default class StockroomHelp extends Help {
  override CommandHelpClass = ShortCommandHelp;
  /** The command whose help is being shown. */
  private subject: Command.Loadable | undefined;

  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions> = {}) {
    super(config, { ...options, docopts: false, flagSortOrder: 'none', hideCommandSummaryInDescription: true });
  }

  override async showHelp(argv: string[]): Promise<void> {
    if (argv.length === 0) {
      this.log(overview(this.names(), this.config.bin, this.opts.maxWidth));
      return;
    }
    const withFlag = this.withFlag(argv);
    if (withFlag !== null) return this.refuse(withFlag);
    try {
      await super.showHelp(argv);
    } catch (error) {
      if (!(error instanceof Errors.CLIError)) throw error;
      await this.refuse(wordsOf(argv).join(' '));
    }
  }

  private async refuse(id: string): Promise<void> {
    await this.config.runHook('command_not_found', { id });
  }

  /** `items --limit` of a command line whose command was forgotten: for oclif that is a question about the topic. */
  private withFlag([id = '', ...more]: readonly string[]): string | null {
    const words = id.split(':');
    const typed = process.argv.slice(2, words.length + 3);
    const isQuestion = more.length > 0 || typed.length <= words.length || words.some((word, at) => typed[at] !== word);
    return isQuestion ? null : typed.join(' ');
  }

  override async showCommandHelp(command: Command.Loadable): Promise<void> {
    const whole = { ...command, flags: this.flagsOf(command) };
    this.subject = whole;
    return super.showCommandHelp(whole);
  }

  /** They are not in the manifest. */
  private flagsOf({ id }: Command.Loadable): Command.Loadable['flags'] {
    const all = JSON.parse(readFileSync(join(this.config.root, 'dist', FLAGS_FILE), 'utf8')) as Record<string, Command.Loadable['flags']>;
    return all[id] ?? {};
  }

  /** In lists of commands oclif breaks it, above a command it does not. */
  protected override summary(command: Command.Loadable): string | undefined {
    const summary = super.summary(command);
    return summary !== undefined && command === this.subject ? this.wrap(summary, 0) : summary;
  }

  /** First words of every command that is there. */
  private names(): readonly string[] {
    return [...new Set(this.config.commands.filter((command) => !command.hidden).map(({ id }) => id.split(/[: ]/u)[0] ?? id))].sort();
  }
}

/** What was asked about: the flag for help stands before it or behind it. */
function wordsOf(argv: readonly string[]): readonly string[] {
  const asked = argv.filter((word) => word !== '--help' && word !== '-h');
  const end = asked.findIndex((word) => word.startsWith('-'));
  return end === -1 ? asked : asked.slice(0, end);
}

const LONG_CHARS = 50;

/** `items get ITEM_ID [FLAGS]`, and examples without gaps. */
class ShortCommandHelp extends CommandHelp {
  protected override defaultUsage(): string {
    return `${super.defaultUsage()} [FLAGS]`;
  }

  /** All of it: where the summary stands above, oclif shows the last line alone. */
  protected override description(): string | undefined {
    const { description } = this.command;
    return description === undefined || description === '' ? undefined : this.wrap(description);
  }

  /** Below its flag a description is indented by two more than oclif allows for. */
  override renderList(input: (string | undefined)[][], opts: Parameters<CommandHelp['renderList']>[1]): string {
    return super.renderList(input, { ...opts, indentation: opts.indentation + 2 });
  }

  /** Values that do not fit a line are set apart by commas, because lines are broken at blanks. */
  protected override flags(flags: Command.Flag.Any[]): [string, string | undefined][] | undefined {
    return super.flags(
      flags.map((flag) =>
        flag.type === 'option' && flag.options && flag.options.join('|').length > LONG_CHARS
          ? { ...flag, options: [flag.options.join(', ')] }
          : flag,
      ),
    );
  }

  protected override examples(examples: Command.Example[] | string | undefined): string | undefined {
    return super.examples(examples)?.replaceAll('\n\n', '\n');
  }
}

export function overview(names: readonly string[], bin: string, width: number): string {
  const grouped: readonly string[] = GROUPS.flatMap(([, members]) => members);
  const others = names.filter((name) => !grouped.includes(name));
  const steps = FIRST_STEPS.map(([command, what]) => `  ${`${bin} ${command}`.padEnd(44)}${what}`);
  const lines = GROUPS.flatMap(([title, members], at) => {
    const there: readonly string[] = [...members.filter((member) => names.includes(member)), ...(at === GROUPS.length - 1 ? others : [])];
    return there.length === 0 ? [] : wrapped(`  ${title.padEnd(11)}`, there, width);
  });
  return [
    'Inventory and orders on your own machine: service, API, command line.',
    '',
    ...steps,
    '',
    ...lines,
    '',
    `\`${bin} items\` lists the commands of a topic, \`--help\` what a command takes.`,
    ...wrapped(`\`${bin} help\` explains `, Object.keys(HELP_TOPICS), width),
  ].join('\n');
}

function wrapped(head: string, words: readonly string[], width: number): string[] {
  const lines = [head];
  for (const [at, word] of words.entries()) {
    const text = at === words.length - 1 ? word : `${word}, `;
    const last = lines.at(-1) ?? '';
    if (last.length + text.trimEnd().length > width && last.trim() !== '') lines.push(' '.repeat(head.length) + text);
    else lines[lines.length - 1] = last + text;
  }
  return lines.map((line) => line.trimEnd());
}
