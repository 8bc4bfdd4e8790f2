/**
 * The commands with their arguments, flags and values. Generated at build time from oclif's manifest and the contract, so that completion
 * has to load neither.
 */
import type { Command, Interfaces } from '@oclif/core';
import { type Operation, type Source, indexOperations } from './operations.ts';
import { SUBSCRIBABLE_EVENTS } from '../contract/events.ts';

/** The values of an argument or a flag. */
export interface ValueSpec {
  readonly name: string;
  readonly values?: readonly string[];
  /** Values can be joined by commas. */
  readonly isList?: true;
  readonly source?: Source;
  readonly isFile?: true;
  /** Also the words of a command. */
  readonly commands?: true;
  /** Paths of the API, by the method before. */
  readonly paths?: Readonly<Record<string, readonly string[]>>;
}

export interface FlagSpec extends ValueSpec {
  readonly description: string;
  readonly char?: string;
  /** Other names, which are not suggested: `contact` of `contact-id`. */
  readonly aliases?: readonly string[];
  /** It takes no value. */
  readonly isBoolean?: true;
  /** `--no-…` exists, too. */
  readonly isNegatable?: true;
  readonly isRepeatable?: true;
}

export interface CommandSpec {
  readonly description: string;
  readonly args: readonly ValueSpec[];
  readonly flags: readonly FlagSpec[];
}

export interface Vocabulary {
  /** By name: `items list`. */
  readonly commands: Readonly<Record<string, CommandSpec>>;
  /** Descriptions of topics, by name. */
  readonly topics: Readonly<Record<string, string>>;
}

/** `listFields`: returns the columns of an operation's resource; `helpTopics`: topics of `stockroom help` besides commands. */
export function createVocabulary(
  manifest: Interfaces.Manifest,
  topics: Readonly<Record<string, { readonly description?: string }>>,
  listFields: (op: Operation) => readonly string[],
  helpTopics: readonly string[],
): Vocabulary {
  const operations = indexOperations();
  const paths = operations.pathsByMethod();
  const special: Readonly<Record<string, Omit<ValueSpec, 'name'>>> = {
    'help subject': { commands: true, values: helpTopics },
    'api method': { values: Object.keys(paths) },
    'api path': { paths },
  };
  const commands = Object.values(manifest.commands).filter(({ hidden }) => !hidden);
  return {
    commands: Object.fromEntries(
      commands
        .flatMap(({ id, summary = '', args, flags, hiddenAliases }) => {
          const op = operations.byCommand(id);
          const spec: CommandSpec = {
            description: summary,
            args: Object.entries(args).map(([name, { options }]) => {
              const own = special[`${id} ${name}`];
              return own === undefined ? toArgSpec(id, name, options, Object.keys(args), operations) : { name, ...own };
            }),
            flags: Object.values(flags)
              .filter(({ hidden }) => hidden !== true)
              .map((flag) => toFlagSpec(flag, op, operations, listFields)),
          };
          const shortcuts = hiddenAliases.filter((alias) => !alias.includes(':'));
          return [id, ...shortcuts].map((name) => [name.replaceAll(':', ' '), spec] as const);
        })
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ),
    topics: Object.fromEntries(Object.entries(topics).map(([name, { description = '' }]) => [name.replaceAll(':', ' '), description])),
  };
}

const TAKES_PROFILE_NAME = /^profile:(?:use|show|remove)$/u;
const TAKES_SNAPSHOT_NAME = /^snapshot:(?:load|delete)$/u;

type Operations = ReturnType<typeof indexOperations>;

function toArgSpec(
  id: string,
  name: string,
  options: readonly string[] | undefined,
  before: readonly string[],
  operations: Operations,
): ValueSpec {
  if (options !== undefined && options.length > 0) return { name, values: options };
  if (name === 'event') return { name, values: SUBSCRIBABLE_EVENTS };
  if (name === 'file') return { name, isFile: true };
  if (TAKES_PROFILE_NAME.test(id)) return { name: 'profile' };
  // The name of a new record cannot be suggested.
  if (name === 'name' && !TAKES_SNAPSHOT_NAME.test(id)) return { name };
  const source = operations.findSource(name, before.slice(0, before.indexOf(name)));
  return source === undefined ? { name } : { name, source };
}

function toFlagSpec(
  flag: Command.Flag.Cached,
  op: Operation | undefined,
  operations: Operations,
  listFields: (op: Operation) => readonly string[],
): FlagSpec {
  const { name, char, aliases, description = '' } = flag;
  const firstSentence = description.split('. ')[0]?.replace(/\.$/u, '') ?? '';
  const named = {
    name,
    description: firstSentence,
    ...(char === undefined ? {} : { char }),
    ...(aliases === undefined ? {} : { aliases }),
  };
  if (flag.type === 'boolean') return { ...named, isBoolean: true, ...(flag.allowNo ? { isNegatable: true as const } : {}) };
  const { multiple, options, delimiter, helpValue = '' } = flag;
  const common = { ...named, ...(multiple === true ? { isRepeatable: true as const } : {}) };
  if (options !== undefined) return { ...common, values: options, ...(delimiter === undefined ? {} : { isList: true as const }) };
  if (/FILE|DIR$/u.test(String(helpValue))) return { ...common, isFile: true };
  if (name === 'columns') return op === undefined ? common : { ...common, values: listFields(op), isList: true };
  // Only snapshots are identified by name; the name of other records cannot be suggested.
  const source = name === 'name' ? undefined : operations.findSource(name.replaceAll('-', '_'), []);
  return source === undefined ? common : { ...common, source };
}
