/** What may follow on a half-typed command line. Pure: live values are asked for by the caller, of the source that is named. */
import type { CommandWords, FlagWords, Place, Source, Vocabulary } from './vocabulary.ts';

/** A word to choose and what it means. */
export interface Suggestion {
  readonly value: string;
  readonly about: string;
}

export interface Suggestions {
  readonly words: readonly Suggestion[];
  /** Rows to ask for, with the arguments that their path needs. `head` stands before each value, as in `--item-id=`. */
  readonly live?: {
    readonly source: Source;
    readonly params: Readonly<Record<string, string>>;
    readonly head: string;
    readonly typed: string;
  };
  /** The names of saved profiles belong here. */
  readonly profiles?: { readonly head: string; readonly typed: string };
  /** File names belong here; the shell knows them. */
  readonly files?: true;
}

const NOTHING: Suggestions = { words: [] };

/** `words` stand before the cursor's word, `typed` is what of it is there. */
export function suggest({ commands, topics }: Vocabulary, words: readonly string[], typed: string): Suggestions {
  // Behind `--` everything belongs to another program.
  if (words.includes('--')) return { words: [], files: true };
  const { name, command, rest } = resolve(commands, words);
  if (command === undefined) return typed.startsWith('-') ? NOTHING : { words: nextWords(commands, topics, name, typed) };

  const { positional, used, open } = read(command, rest);
  if (open !== undefined) return valuesOf(open, '', typed, command, positional);
  const joined = /^(--[\w-]+=)(.*)$/su.exec(typed);
  if (joined) {
    const [, head = '', value = ''] = joined;
    const flag = command.flags.find((each) => `--${each.name}=` === head);
    return flag === undefined ? NOTHING : valuesOf(flag, head, value, command, positional);
  }
  if (typed.startsWith('-')) return { words: matching(flagsLeft(command, used), typed) };
  if (command.args.some(({ commands: follow }) => follow === true)) {
    const own =
      positional.length > 0 || command.args[0] === undefined ? [] : valuesOf(command.args[0], '', typed, command, positional).words;
    return { words: [...nextWords(commands, topics, positional.join(' '), typed), ...own] };
  }
  const below = positional.length === 0 ? nextWords(commands, topics, name, typed) : [];
  const place = command.args[positional.length];
  if (place === undefined) return { words: below };
  const values = valuesOf(place, '', typed, command, positional);
  return { ...values, words: [...below, ...values.words] };
}

/** The longest command that the words begin with, or as far as they make sense. */
function resolve(
  commands: Vocabulary['commands'],
  words: readonly string[],
): { name: string; command: CommandWords | undefined; rest: readonly string[] } {
  for (let count = words.length; count > 0; count -= 1) {
    const name = words.slice(0, count).join(' ');
    const command = commands[name];
    if (command !== undefined) return { name, command, rest: words.slice(count) };
  }
  return { name: words.join(' '), command: undefined, rest: [] };
}

function nextWords(commands: Vocabulary['commands'], topics: Vocabulary['topics'], name: string, typed: string): readonly Suggestion[] {
  const head = name === '' ? '' : `${name} `;
  const found = new Map<string, string>();
  for (const [id, { about }] of Object.entries(commands)) {
    if (!id.startsWith(head) || id === name) continue;
    const word = id.slice(head.length).split(' ')[0] ?? '';
    const whole = head + word;
    if (word !== '') found.set(word, topics[whole] ?? (id === whole ? about : (found.get(word) ?? '')));
  }
  return matching(
    [...found].map(([value, about]) => ({ value, about })),
    typed,
  );
}

/** What was typed behind the command: arguments, the flags used, and a flag that still waits for its value. */
function read({ flags }: CommandWords, rest: readonly string[]): { positional: string[]; used: Set<string>; open: FlagWords | undefined } {
  const positional: string[] = [];
  const used = new Set<string>();
  let open: FlagWords | undefined;
  for (const word of rest) {
    if (open !== undefined) {
      open = undefined;
      continue;
    }
    if (!word.startsWith('-') || word === '-') {
      positional.push(word);
      continue;
    }
    const flag = flags.find(
      ({ name, char }) => word === `--${name}` || word === `--no-${name}` || word.startsWith(`--${name}=`) || word === `-${char ?? ''}`,
    );
    if (flag === undefined) continue;
    used.add(flag.name);
    if (flag.bare !== true && !word.includes('=')) open = flag;
  }
  return { positional, used, open };
}

function flagsLeft({ flags }: CommandWords, used: ReadonlySet<string>): Suggestion[] {
  return flags
    .filter(({ name, several }) => several === true || !used.has(name))
    .flatMap(({ name, about, no }) => [
      { value: `--${name}`, about },
      ...(no === true ? [{ value: `--no-${name}`, about: `Not: ${about.charAt(0).toLowerCase()}${about.slice(1)}` }] : []),
    ]);
}

function valuesOf(place: Place, head: string, typed: string, command: CommandWords, positional: readonly string[]): Suggestions {
  if (place.paths !== undefined) return pathsOf(place.paths[positional[0]?.toUpperCase() ?? ''] ?? [], place.paths['GET'] ?? [], typed);
  if (place.file === true) return { words: [], files: true };
  if (place.name === 'profile') return { words: [], profiles: { head, typed } };
  if (place.values !== undefined) {
    const cut = place.list === true ? typed.lastIndexOf(',') + 1 : 0;
    const [done, current] = [typed.slice(0, cut), typed.slice(cut)];
    const taken = done.split(',');
    const left = place.values.filter((value) => !taken.includes(value)).map((value) => ({ value, about: '' }));
    return { words: matching(left, current).map(({ value, about }) => ({ value: head + done + value, about })) };
  }
  if (place.source === undefined) return NOTHING;
  const params = Object.fromEntries(command.args.slice(0, positional.length).map(({ name }, at) => [name, positional[at] ?? '']));
  return { words: [], live: { source: place.source, params, head, typed } };
}

const isParameter = (part: string | undefined): boolean => part?.startsWith('{') === true;

/** Paths up to their next parameter; its values where `lists` has the list that they are in. */
function pathsOf(paths: readonly string[], lists: readonly string[], typed: string): Suggestions {
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
    // What can be asked as it stands is offered without the sign that goes on.
    else if (!paths.includes(parts.slice(0, done.length + end).join('/'))) words.add(`${head}${rest.slice(0, end).join('/')}/`);
  }
  const found = matching(
    [...words].map((value) => ({ value, about: '' })),
    typed,
  );
  if (!isListed) return { words: found };
  const source = { plane: 'service', path: done.join('/') } as const;
  return { words: found, live: { source, params: {}, head, typed: typed.slice(head.length) } };
}

const matching = (words: readonly Suggestion[], typed: string): readonly Suggestion[] =>
  words.filter(({ value }) => value.startsWith(typed));
