/**
 * Errors of oclif's parser in our own words. oclif does not export its error classes, but most of them carry the state of the parser,
 * from which the messages are built. Invalid values carry nothing, so `withValueChecks` lets our own code check them first.
 */
import { Errors, type Interfaces } from '@oclif/core';
import { formatAlternatives } from '../../contract/schema/record-kinds.ts';
import { findClosestMatch } from '../../contract/schema/closest-match.ts';
import { listOwnWords } from '../typed-flag.ts';
import { Failure, invalidValueError, usageError } from './failure.ts';
import { type FlagOptions, formatMissingFlags } from './field-errors.ts';
import { suggestFlag } from './flag-of-argument.ts';
import { getArgumentHint, getFlagHint, getOutputHint } from './other-commands.ts';

type Flag = Interfaces.FlagInput[string];
type Arg = Interfaces.ArgInput[string];

/** The part of the parser's state that the messages are built from. */
interface ParserState {
  readonly input: { readonly args: Interfaces.ArgInput; readonly flags: Interfaces.FlagInput; readonly strict?: boolean };
  readonly output: {
    readonly args: Readonly<Record<string, unknown>>;
    readonly argv: readonly unknown[];
    readonly flags: Readonly<Record<string, unknown>>;
    readonly metadata: { readonly flags: Readonly<Record<string, { readonly setFromDefault?: boolean }>> };
    readonly nonExistentFlags?: readonly string[];
  };
}

/** Carries the error of a value past oclif, which rewrites the message of every error that a flag's `parse` throws. */
class InvalidFlagValue extends Error {
  readonly flag: string;
  constructor(flag: string, cause: unknown) {
    super('', { cause });
    this.flag = flag;
  }
}

/** Copies the definitions of a command so that invalid values throw our own failures. */
export function withValueChecks<T extends { flags?: unknown; baseFlags?: unknown; args?: unknown }>(definitions: T): T {
  const { flags = {}, baseFlags = {}, args = {} } = definitions as { flags?: object; baseFlags?: object; args?: object };
  return {
    ...definitions,
    flags: mapValues(flags as Interfaces.FlagInput, withFlagCheck),
    baseFlags: mapValues(baseFlags as Interfaces.FlagInput, withFlagCheck),
    args: mapValues(args as Interfaces.ArgInput, withArgCheck),
  };
}

export const mapValues = <V>(record: Readonly<Record<string, V>>, map: (name: string, value: V) => V): Record<string, V> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(name, value)]));

function withFlagCheck(name: string, flag: Flag): Flag {
  if (flag.type !== 'option') return flag;
  const { options, ...rest } = flag;
  const parse: typeof flag.parse = async (text, context, definition) => {
    try {
      if (options && !options.includes(text)) throw invalidValueError(`--${name}`, text, options);
      return await flag.parse(text, context, definition);
    } catch (cause) {
      throw new InvalidFlagValue(name, cause);
    }
  };
  return { ...rest, parse };
}

function withArgCheck(name: string, arg: Arg): Arg {
  const { options, ...rest } = arg;
  if (!options) return arg;
  const parse: typeof arg.parse = async (text, context, definition) => {
    if (!options.includes(text)) throw invalidValueError(name.toUpperCase(), text, options, `${name}s`);
    return (await arg.parse(text, context, definition)) as unknown;
  };
  return { ...rest, parse };
}

/** What was parsed. */
export interface CommandLine {
  /** As typed, such as `items list`. */
  readonly command: string;
  readonly argv: readonly string[];
  readonly flags: Interfaces.FlagInput;
}

/** Converts an error of oclif's parser to a failure; other errors are returned as they are. */
export function toParseFailure(thrown: unknown, { command, argv, flags }: CommandLine): unknown {
  const help = `See \`stockroom ${command} --help\``;
  // The value of an unknown flag may be the invalid argument: oclif checks values first.
  const early = thrown instanceof InvalidFlagValue || thrown instanceof Failure ? listUnknownFlagsOf(argv, flags) : [];
  if (early.length > 0) return usageError(describeUnknown(early), explainUnknownFlags(command, early, listFlagNames(flags)) ?? help);
  if (thrown instanceof InvalidFlagValue) return withHint(thrown.cause, thrown.flag === 'output' ? getOutputHint(command, argv) : help);
  if (thrown instanceof Failure) return findSeparateValue(argv, flags) ?? withHint(thrown, help);
  if (!(thrown instanceof Errors.CLIError) || !('parse' in thrown)) return thrown;
  const state = thrown.parse as ParserState;
  const unknown = listUnknownFlags(state);
  const separate = unknown.length === 0 && listExtraArguments(state).length > 0 ? findSeparateValue(argv, flags) : undefined;
  if (separate) return separate;
  return usageError(describe(state, flags) ?? thrown.message, getHint(command, unknown, state, flags) ?? help);
}

/** `flags`: as defined; those of the parser have no options. */
function getHint(command: string, unknownFlags: readonly string[], state: ParserState, flags: Interfaces.FlagInput): string | undefined {
  const { args } = state.input;
  const argument = Object.keys(args).find((name) => unknownFlags.includes(`--${name.replaceAll('_', '-')}`));
  if (argument !== undefined) return `${argument.toUpperCase()} is an argument: write its value without a flag`;
  if (unknownFlags.length > 0) return explainUnknownFlags(command, unknownFlags, listFlagNames(flags));
  const extra = listExtraArguments(state).map(String).join(' ');
  if (extra !== '') return suggestFlag(command, extra, flags, state.output.argv.slice(0, Object.keys(args).length).map(String));
  return listMissingArguments(state).length > 0 ? getArgumentHint(command) : undefined;
}

/** A switch that is followed by its value as a word of its own, which oclif takes for an argument. */
function findSeparateValue(argv: readonly string[], flags: Interfaces.FlagInput): Failure | undefined {
  const words = listOwnWords(argv);
  for (const [at, word] of words.entries()) {
    const value = words[at + 1];
    const flag = word.startsWith('--') ? findFlag(flags, word.slice(2)) : undefined;
    if (flag?.type !== 'boolean' || (value !== 'true' && value !== 'false')) continue;
    const off = flag.allowNo ? `Write ${word}=false or --no-${word.slice(2)}` : `Omit ${word}`;
    return usageError(`Unexpected value "${value}" after ${word}`, value === 'true' ? `Write ${word}` : off);
  }
  return undefined;
}

/** The flag with this name or alias. */
export const findFlag = (flags: Interfaces.FlagInput, name: string): Flag | undefined =>
  Object.entries(flags).find(([each, { aliases = [] }]) => each === name || aliases.includes(name))?.[1];

function explainUnknownFlags(command: string, unknown: readonly string[], known: readonly string[]): string | undefined {
  const hints = unknown.flatMap((flag) => {
    const hint = getFlagHint(command, flag) ?? suggestFlags(flag, known);
    return hint === undefined ? [] : [unknown.length > 1 && hint.startsWith('Did') ? `${flag}: d${hint.slice(1)}` : hint];
  });
  return hints.length === 0 ? undefined : [...new Set(hints)].join(' ');
}

/** The singular or plural; else flags with all words of the unknown one, such as --sale-price for --price; else the most similar one. */
function suggestFlags(unknown: string, all: readonly string[]): string | undefined {
  // --no-color is no spelling of --color.
  const known = unknown.startsWith('--no-') ? all : all.filter((name) => !name.startsWith('--no-'));
  const other = unknown.endsWith('s') ? unknown.slice(0, -1) : `${unknown}s`;
  if (known.includes(other)) return `Did you mean ${other}?`;
  const words = `${unknown.slice(1)}-`;
  const longer = known.filter((name) => `${name.slice(1)}-`.includes(words)).slice(0, SUGGESTIONS_MAX);
  const matches = longer.length > 0 ? longer : [findClosestMatch(unknown, known) ?? []].flat();
  return matches.length === 0 ? undefined : `Did you mean ${formatAlternatives(matches)}?`;
}

const SUGGESTIONS_MAX = 3;

const withHint = (thrown: unknown, hint: string): unknown =>
  thrown instanceof Failure && thrown.code === 'USAGE' && thrown.hint === null ? usageError(thrown.message, hint) : thrown;

/** The valid values of the flags that have a fixed set of them. */
export const listOptions = (flags: Interfaces.FlagInput): FlagOptions =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, flag]) => (flag.type === 'option' && flag.options ? [[name, flag.options]] : [])),
  );

const listFlagNames = (flags: Interfaces.FlagInput): readonly string[] => Object.keys(flags).map((name) => `--${name}`);

/** Long flags before `--` that the command does not have. */
function listUnknownFlagsOf(argv: readonly string[], flags: Interfaces.FlagInput): readonly string[] {
  const known = new Set(
    Object.entries(flags).flatMap(([name, flag]) => [name, `no-${name}`, ...(flag.aliases ?? [])].map((each) => `--${each}`)),
  );
  return listOwnWords(argv)
    .filter((word) => /^--[a-z]/u.test(word))
    .map((word) => word.split('=')[0] ?? word)
    .filter((flag) => !known.has(flag));
}

const describeUnknown = (unknown: readonly string[]): string => `Unknown flag${plural(unknown)} ${unknown.join(', ')}`;

/**
 * Describes what oclif refused, in its own order of checks. Undefined for constraints that no command uses. `defined`: the flags with their
 * options.
 */
function describe({ input, output }: ParserState, defined: Interfaces.FlagInput): string | undefined {
  const unknown = listUnknownFlags({ input, output });
  if (unknown.length > 0) return describeUnknown(unknown);
  const extra = listExtraArguments({ input, output });
  if (extra.length > 0) return `Unexpected argument${plural(extra)}: ${extra.map(String).join(', ')}`;
  const missing = listMissingArguments({ input, output });
  if (missing.length > 0) return `Missing required argument${plural(missing)} ${missing.join(', ')}`;
  const problems = [
    ...listMissingFlags({ input, output }, defined),
    ...listConflicts({ input, output }),
    ...listUnmetRequirements({ input, output }),
  ];
  return problems.length > 0 ? problems.join('; ') : undefined;
}

const listExtraArguments = ({ input, output }: ParserState): readonly unknown[] =>
  input.strict === false ? [] : output.argv.slice(Object.keys(input.args).length);

const listMissingArguments = ({ input, output }: ParserState): readonly string[] =>
  Object.entries(input.args).flatMap(([name, { required }]) =>
    required === true && output.args[name] === undefined ? [name.toUpperCase()] : [],
  );

/** Without the value of `--nmae=x`. */
const listUnknownFlags = ({ output }: ParserState): readonly string[] =>
  (output.nonExistentFlags ?? []).map((flag) => flag.split('=')[0] ?? flag);

const plural = (list: readonly unknown[]): string => (list.length === 1 ? '' : 's');

function listMissingFlags({ input, output }: ParserState, defined: Interfaces.FlagInput): readonly string[] {
  const missing = Object.entries(input.flags).flatMap(([name, { required }]) =>
    required === true && output.flags[name] === undefined ? [`--${name}`] : [],
  );
  return missing.length === 0 ? [] : [formatMissingFlags(missing, listOptions(defined))];
}

/** Each pair once, in the order of the definitions. */
function listConflicts({ input, output }: ParserState): readonly string[] {
  const isGiven = (name: string): boolean => output.flags[name] !== undefined && output.metadata.flags[name]?.setFromDefault !== true;
  const found = new Set<string>();
  for (const [name, { exclusive = [] }] of Object.entries(input.flags)) {
    if (!isGiven(name)) continue;
    for (const other of exclusive) {
      if (!isGiven(other) || found.has(`--${other} cannot be used with --${name}`)) continue;
      found.add(`--${name} cannot be used with --${other}`);
    }
  }
  return [...found];
}

function listUnmetRequirements({ input, output }: ParserState): readonly string[] {
  return Object.entries(input.flags).flatMap(([name, { dependsOn = [] }]) => {
    if (output.flags[name] === undefined) return [];
    const absent = dependsOn.flatMap((other) => (output.flags[other] === undefined ? [`--${other}`] : []));
    return absent.length === 0 ? [] : [`--${name} requires ${absent.join(', ')}`];
  });
}
