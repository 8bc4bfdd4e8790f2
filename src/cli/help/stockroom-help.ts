/** Help that fits a terminal: an overview without arguments, one usage line per command, flags in order of importance. */
import { type Command, CommandHelp, Errors, Help, type Interfaces } from '@oclif/core';
import { REQUIRED } from '../input/operation-flags.ts';
import { readFlags } from './flags-manifest.ts';
import { getProgramName, withProgramName } from '../program-name.ts';
import { HELP_TOPICS } from './topics.ts';

/** Commands to try first. */
const FIRST_STEPS = [
  ['daemon start', 'start the local service'],
  ["items create --name 'Hex bolt M6'", 'create an item'],
  ['items list', 'list items'],
  ['orders list sell --status open', 'list open customer orders'],
] as const;

/** The groups of the overview. Topics and commands without a group are listed in the last one. */
const GROUPS = [
  ['records', ['items', 'contacts', 'orders', 'stock', 'organization']],
  ['insight', ['usage', 'audit', 'requests', 'auth', 'capabilities', 'dashboard']],
  ['events', ['events', 'webhooks', 'mcp', 'openapi']],
  ['service', ['daemon', 'demo', 'seed', 'pull', 'snapshot', 'reset', 'clock', 'faults', 'doctor']],
  ['settings', ['tenants', 'keys', 'tiers', 'users', 'sites', 'units', 'categories', 'apps', 'oauth']],
  ['tools', ['api', 'profile', 'config', 'exec', 'completion', 'help']],
] as const;

export default class StockroomHelp extends Help {
  override CommandHelpClass = ShortCommandHelp;
  /** The command whose help is being shown. */
  private subject: Command.Loadable | undefined;

  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions> = {}) {
    // Usage and examples are rendered with it.
    Object.assign(config, { bin: getProgramName() });
    super(config, { ...options, docopts: false, flagSortOrder: 'none', hideCommandSummaryInDescription: true });
  }

  override async showHelp(argv: string[]): Promise<void> {
    if (argv.length === 0) {
      this.log(formatOverview(this.listTopLevelNames(), this.listShortcuts(), this.config.bin, this.opts.maxWidth));
      return;
    }
    const findTopicWithFlag = this.withFlag(argv);
    if (findTopicWithFlag !== null) return this.reportUnknownCommand(findTopicWithFlag);
    try {
      await super.showHelp(argv);
    } catch (error) {
      if (!(error instanceof Errors.CLIError)) throw error;
      await this.reportUnknownCommand(getSubject(argv).join(' '));
    }
  }

  /** Descriptions contain commands, too. */
  protected override log(...texts: string[]): void {
    super.log(...texts.map((text) => withProgramName(text)));
  }

  protected override async showRootHelp(): Promise<void> {
    await super.showRootHelp();
    this.log(`${this.section('SHORTCUTS', this.listShortcuts().join(', '))}\n`);
  }

  private listShortcuts(): readonly string[] {
    return this.config.commands.flatMap(listShortcuts);
  }

  private async reportUnknownCommand(id: string): Promise<void> {
    await this.config.runHook('command_not_found', { id });
  }

  /** Detects a topic with flags but without a command, such as `items --limit`, for which oclif shows the help of the topic. */
  private withFlag([id = '', ...more]: readonly string[]): string | null {
    const words = id.split(':');
    const typed = process.argv.slice(2, words.length + 3);
    const isQuestion = more.length > 0 || typed.length <= words.length || words.some((word, at) => typed[at] !== word);
    return isQuestion ? null : typed.join(' ');
  }

  override async showCommandHelp(found: Command.Loadable): Promise<void> {
    const topic = found.hidden ? this.config.findTopic(found.id) : undefined;
    if (topic) return this.showTopicHelp(topic);
    const command = this.findNamed(found);
    const commandWithFlags = { ...command, flags: readFlags(this.config, command.id), aliases: listShortcuts(command) };
    this.subject = commandWithFlags;
    return super.showCommandHelp(commandWithFlags);
  }

  /** The command itself for one of its other names. */
  private findNamed(command: Command.Loadable): Command.Loadable {
    const isNamedDifferently = command.hiddenAliases.includes(command.id);
    const isSame = ({ id, hiddenAliases }: Command.Loadable) => !hiddenAliases.includes(id) && hiddenAliases.includes(command.id);
    return (isNamedDifferently ? this.config.commands.find(isSame) : undefined) ?? command;
  }

  /** Wraps the summary above a command; oclif wraps only those in lists. */
  protected override summary(command: Command.Loadable): string | undefined {
    const summary = super.summary(command);
    return summary !== undefined && command === this.subject ? this.wrap(summary, 0) : summary;
  }

  /** Lists the first words of all commands. */
  private listTopLevelNames(): readonly string[] {
    return [...new Set(this.config.commands.filter((command) => !command.hidden).map(({ id }) => id.split(/[: ]/u)[0] ?? id))].sort();
  }
}

/** The other names of a command that help mentions; names of earlier releases are below a topic. */
const listShortcuts = ({ id, hiddenAliases }: Command.Loadable): string[] =>
  hiddenAliases.includes(id) ? [] : hiddenAliases.filter((alias) => !/[: ]/u.test(alias));

/** Returns the words of the requested topic or command, which can come before or after the help flag. */
function getSubject(argv: readonly string[]): readonly string[] {
  const requested = argv.filter((word) => word !== '--help' && word !== '-h');
  const end = requested.findIndex((word) => word.startsWith('-'));
  return end === -1 ? requested : requested.slice(0, end);
}

const LONG_CHARS = 50;

/** The global flags that the help of a command names. */
const GLOBAL_EXAMPLES = ['json', 'output', 'columns', 'profile'];

const isGlobal = ({ helpGroup, name }: Command.Flag.Any): boolean => helpGroup === 'GLOBAL' && name !== 'tenant';
const isLong = (options: readonly string[] | undefined): options is readonly string[] => (options?.join('|').length ?? 0) > LONG_CHARS;

/** Marks what can be repeated. */
const DOTS = '...';
const isList = (flag: Command.Flag.Any): boolean => flag.type === 'option' && flag.delimiter !== undefined;

const isRequired = ({ required, description = '' }: Command.Flag.Any): boolean => required === true || description.startsWith(REQUIRED);

/** `items get ITEM_ID [FLAGS]`, and examples without gaps. */
class ShortCommandHelp extends CommandHelp {
  protected override defaultUsage(): string {
    return `${super.defaultUsage()} [FLAGS]`;
  }

  /** Without this, oclif shows only the last line of a description below a summary. */
  protected override description(): string | undefined {
    const { description } = this.command;
    return description === undefined || description === '' ? undefined : this.wrap(description);
  }

  /** oclif wraps descriptions two columns too wide, and trims the space of the short flag before the first one without. */
  override renderList(input: (string | undefined)[][], opts: Parameters<CommandHelp['renderList']>[1]): string {
    const text = super.renderList(input, { ...opts, indentation: opts.indentation + 2 });
    return (/^ */u.exec(input[0]?.[0] ?? '')?.[0] ?? '') + text;
  }

  /** A command that takes more words repeats its last argument: `ORDER_ID [LINES...]`. */
  protected override arg(arg: Command.Arg.Any): string {
    const isRepeated = this.command.strict === false && arg.name === Object.values(this.command.args).at(-1)?.name;
    return isRepeated ? super.arg({ ...arg, name: `${arg.name}${DOTS}` }) : super.arg(arg);
  }

  /** Separates long lists of values by commas, because lines are wrapped at spaces. oclif shows dots after each argument. */
  protected override args(args: Command.Arg.Any[]): [string, string | undefined][] | undefined {
    const rows = super.args(args.map((arg) => (isLong(arg.options) ? { ...arg, options: [arg.options.join(', ')] } : arg)));
    return rows?.map(([name, text], at) => [at === rows.length - 1 ? name : name.replace(DOTS, ''), text]);
  }

  /** As in `args`. A list has a help value that shows how to join several values, so its values are listed below. */
  protected override flags(flags: Command.Flag.Any[]): [string, string | undefined][] | undefined {
    return super.flags(
      flags.map((flag) => {
        if (flag.type !== 'option' || flag.options === undefined) return flag;
        const options = isLong(flag.options) ? [flag.options.join(', ')] : flag.options;
        if (!isList(flag)) return { ...flag, options };
        return { ...flag, description: `${flag.description ?? ''}\n<options: ${options.join('|')}>` };
      }),
    );
  }

  /** Without dots after a help value such as `A,B` or `SCOPE,…`. */
  protected override flagHelpLabel(flag: Command.Flag.Any, showOptions?: boolean): string {
    const shown = flag.type === 'option' && isList(flag) ? { ...flag, multiple: false } : flag;
    return super.flagHelpLabel(shown, showOptions);
  }

  /** Required flags first. Global flags are described by a help topic, except for the tenant, which not every command has. */
  protected override groupFlags(flags: Command.Flag.Any[]): ReturnType<CommandHelp['groupFlags']> {
    const own = flags.filter((flag) => !isGlobal(flag));
    return { mainFlags: [...own.filter(isRequired), ...own.filter((flag) => !isRequired(flag))], flagGroups: {} };
  }

  protected override sections(): ReturnType<CommandHelp['sections']> {
    const sections = super.sections();
    const at = sections.findIndex(({ header }) => header === 'FLAGS');
    const globals = { header: 'GLOBAL FLAGS', generate: ({ flags }: { flags: Command.Flag.Any[] }) => this.formatGlobalFlags(flags) };
    return [...sections.slice(0, at + 1), globals, ...sections.slice(at + 1)];
  }

  private formatGlobalFlags(flags: readonly Command.Flag.Any[]): string | undefined {
    const names = GLOBAL_EXAMPLES.filter((name) => flags.some((flag) => flag.name === name && isGlobal(flag))).map((name) => `--${name}`);
    return names.length === 0 ? undefined : `${names.join(', ')}, …: see \`${this.config.bin} help flags\``;
  }

  protected override examples(examples: Command.Example[] | string | undefined): string | undefined {
    return super.examples(examples)?.replaceAll('\n\n', '\n');
  }
}

export function formatOverview(names: readonly string[], shortcuts: readonly string[], bin: string, width: number): string {
  const grouped: readonly string[] = GROUPS.flatMap(([, members]) => members);
  const others = names.filter((name) => !grouped.includes(name));
  const stepWidth = Math.max(...FIRST_STEPS.map(([command]) => command.length)) + bin.length + 3;
  const steps = FIRST_STEPS.map(([command, what]) => `  ${`${bin} ${command}`.padEnd(stepWidth)}${what}`);
  const lines = GROUPS.flatMap(([title, members], at) => {
    const there: readonly string[] = [...members.filter((member) => names.includes(member)), ...(at === GROUPS.length - 1 ? others : [])];
    return there.length === 0 ? [] : wrapList(`  ${title.padEnd(11)}`, there, width);
  });
  return [
    'Inventory and orders on your own machine: service, API, command line.',
    '',
    ...steps,
    '',
    ...lines,
    ...wrapList('  shortcuts  ', shortcuts, width),
    '',
    `\`${bin} items\` lists the commands of a topic; \`--help\` describes one.`,
    ...wrapList(`\`${bin} help TOPIC\`: `, Object.keys(HELP_TOPICS), width),
  ].join('\n');
}

function wrapList(head: string, words: readonly string[], width: number): string[] {
  const lines = [head];
  for (const [at, word] of words.entries()) {
    const text = at === words.length - 1 ? word : `${word}, `;
    const last = lines.at(-1) ?? '';
    if (last.length + text.trimEnd().length > width && last.trim() !== '') lines.push(' '.repeat(head.length) + text);
    else lines[lines.length - 1] = last + text;
  }
  return lines.map((line) => line.trimEnd());
}
