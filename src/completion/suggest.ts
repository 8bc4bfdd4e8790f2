/** Suggests what can follow on a partly typed command line. Pure: the caller reads live values from the named source. */
import type { Source } from './operations.ts';
import type { CommandSpec, FlagSpec, ValueSpec, Vocabulary } from './vocabulary.ts';

/** A word with its description. */
export interface Suggestion {
  readonly value: string;
  readonly description: string;
}

export interface Suggestions {
  readonly words: readonly Suggestion[];
  /** A list to read values from, with the parameters of its path. `head` precedes each value, as in `--item-id=`. */
  readonly live?: {
    readonly source: Source;
    readonly params: Readonly<Record<string, string>>;
    readonly head: string;
    readonly typed: string;
  };
  /** Names of saved profiles are suggested. */
  readonly profiles?: { readonly head: string; readonly typed: string };
  /** The shell suggests file names. */
  readonly files?: true;
}

const NO_SUGGESTIONS: Suggestions = { words: [] };

/** `words`: the words before the one at the cursor; `typed`: the typed part of that one. */
export function suggest({ commands, topics }: Vocabulary, words: readonly string[], typed: string): Suggestions {
  // Everything after `--` belongs to another program.
  if (words.includes('--')) return { words: [], files: true };
  const { name, command, rest } = resolveCommand(commands, words);
  if (command === undefined) return typed.startsWith('-') ? NO_SUGGESTIONS : { words: suggestNextWords(commands, topics, name, typed) };

  const { positional, used, pendingFlag } = parseWords(command, rest);
  if (pendingFlag !== undefined) return suggestValues(pendingFlag, '', typed, command, positional);
  const joined = /^(--[\w-]+=)(.*)$/su.exec(typed);
  if (joined) {
    const [, head = '', value = ''] = joined;
    const flag = command.flags.find((each) => listNames(each).some((known) => `--${known}=` === head));
    return flag === undefined ? NO_SUGGESTIONS : suggestValues(flag, head, value, command, positional);
  }
  if (typed.startsWith('-')) return { words: filterByPrefix(suggestFlags(command, used), typed) };
  if (command.args.some(({ commands: follow }) => follow === true)) {
    const own =
      positional.length > 0 || command.args[0] === undefined ? [] : suggestValues(command.args[0], '', typed, command, positional).words;
    return { words: [...suggestNextWords(commands, topics, positional.join(' '), typed), ...own] };
  }
  const below = positional.length === 0 ? suggestNextWords(commands, topics, name, typed) : [];
  const argument = command.args[positional.length];
  if (argument === undefined) return { words: below };
  const values = suggestValues(argument, '', typed, command, positional);
  return { ...values, words: [...below, ...values.words] };
}

/** Finds the longest command that the words start with. */
function resolveCommand(commands: Vocabulary['commands'], words: readonly string[]) {
  for (let count = words.length; count > 0; count -= 1) {
    const name = words.slice(0, count).join(' ');
    const command = commands[name];
    if (command !== undefined) return { name, command, rest: words.slice(count) };
  }
  return { name: words.join(' '), command: undefined, rest: [] };
}

function suggestNextWords(
  commands: Vocabulary['commands'],
  topics: Vocabulary['topics'],
  name: string,
  typed: string,
): readonly Suggestion[] {
  const head = name === '' ? '' : `${name} `;
  const found = new Map<string, string>();
  for (const [id, { description }] of Object.entries(commands)) {
    if (!id.startsWith(head) || id === name) continue;
    const word = id.slice(head.length).split(' ')[0] ?? '';
    const fullName = head + word;
    if (word !== '') found.set(word, topics[fullName] ?? (id === fullName ? description : (found.get(word) ?? '')));
  }
  return filterByPrefix(
    [...found].map(([value, description]) => ({ value, description })),
    typed,
  );
}

/** Parses the words after the command: arguments, used flags, and a flag whose value comes next. */
function parseWords({ flags }: CommandSpec, rest: readonly string[]) {
  const positional: string[] = [];
  const used = new Set<string>();
  let pendingFlag: FlagSpec | undefined;
  for (const word of rest) {
    if (pendingFlag !== undefined) {
      pendingFlag = undefined;
      continue;
    }
    if (!word.startsWith('-') || word === '-') {
      positional.push(word);
      continue;
    }
    const matches = (name: string) => word === `--${name}` || word === `--no-${name}` || word.startsWith(`--${name}=`);
    const flag = flags.find((each) => listNames(each).some(matches) || word === `-${each.char ?? ''}`);
    if (flag === undefined) continue;
    used.add(flag.name);
    if (flag.isBoolean !== true && !word.includes('=')) pendingFlag = flag;
  }
  return { positional, used, pendingFlag };
}

const listNames = ({ name, aliases = [] }: FlagSpec): readonly string[] => [name, ...aliases];

function suggestFlags({ flags }: CommandSpec, used: ReadonlySet<string>): Suggestion[] {
  return flags
    .filter(({ name, isRepeatable }) => isRepeatable === true || !used.has(name))
    .flatMap(({ name, description, isNegatable }) => [
      { value: `--${name}`, description },
      ...(isNegatable === true
        ? [{ value: `--no-${name}`, description: `Not: ${description.charAt(0).toLowerCase()}${description.slice(1)}` }]
        : []),
    ]);
}

function suggestValues(spec: ValueSpec, head: string, typed: string, command: CommandSpec, positional: readonly string[]): Suggestions {
  if (spec.paths !== undefined) return suggestPaths(spec.paths[positional[0]?.toUpperCase() ?? ''] ?? [], spec.paths['GET'] ?? [], typed);
  if (spec.isFile === true) return { words: [], files: true };
  if (spec.name === 'profile') return { words: [], profiles: { head, typed } };
  if (spec.values !== undefined) {
    const cut = spec.isList === true ? typed.lastIndexOf(',') + 1 : 0;
    const [done, current] = [typed.slice(0, cut), typed.slice(cut)];
    const taken = done.split(',');
    const left = spec.values.filter((value) => !taken.includes(value)).map((value) => ({ value, description: '' }));
    return { words: filterByPrefix(left, current).map(({ value, description }) => ({ value: head + done + value, description })) };
  }
  if (spec.source === undefined) return NO_SUGGESTIONS;
  const params = Object.fromEntries(command.args.slice(0, positional.length).map(({ name }, at) => [name, positional[at] ?? '']));
  return { words: [], live: { source: spec.source, params, head, typed } };
}

const isParameter = (part: string | undefined): boolean => part?.startsWith('{') === true;

/** Suggests paths up to their next parameter, and its values if `lists` contains their list. */
function suggestPaths(paths: readonly string[], lists: readonly string[], typed: string): Suggestions {
  const done = typed.split('/').slice(0, -1);
  const head = done.map((part) => `${part}/`).join('');
  const words = new Set<string>();
  let isListed = false;
  for (const path of paths) {
    const parts = path.split('/');
    const rest = parts.slice(done.length);
    const fits = done.every((part, at) => (isParameter(parts[at]) ? part !== '' : part === parts[at]));
    if (!fits || rest.length === 0) continue;
    if (isParameter(rest[0])) {
      isListed ||= lists.includes(parts.slice(0, done.length).join('/'));
      continue;
    }
    const end = rest.findIndex(isParameter);
    if (end === -1) words.add(head + rest.join('/'));
    // A path that is complete without the parameter is suggested without the final slash.
    else if (!paths.includes(parts.slice(0, done.length + end).join('/'))) words.add(`${head}${rest.slice(0, end).join('/')}/`);
  }
  const found = filterByPrefix(
    [...words].map((value) => ({ value, description: '' })),
    typed,
  );
  if (!isListed) return { words: found };
  const source = { plane: 'service', path: done.join('/') } as const;
  return { words: found, live: { source, params: {}, head, typed: typed.slice(head.length) } };
}

const filterByPrefix = (words: readonly Suggestion[], typed: string): readonly Suggestion[] =>
  words.filter(({ value }) => value.startsWith(typed));
