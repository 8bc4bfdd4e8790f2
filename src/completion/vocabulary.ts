/**
 * What can be typed: commands with their arguments, flags and values. Made at build time from oclif's manifest and the contract, so that
 * the Tab key needs neither; nothing in it is written by hand.
 */
import { type Operation, operationsOf } from './operations.ts';
import { SUBSCRIBABLE_EVENTS } from '../contract/events.ts';
import type { AnySchema } from '../contract/schema.ts';

/** Where live values come from: rows of a list, asked of the service or of the daemon's own socket. */
export interface Source {
  readonly plane: 'service' | 'admin';
  /** Holds `{name}` for each argument that stands before. */
  readonly path: string;
}

/** What may stand in one place of the command line. */
export interface Place {
  readonly name: string;
  readonly values?: readonly string[];
  /** Several values joined by commas. */
  readonly list?: true;
  readonly source?: Source;
  readonly file?: true;
  /** Or the words of a command, as many as it has. */
  readonly commands?: true;
  /** Paths of the API, by the method that stands before. */
  readonly paths?: Readonly<Record<string, readonly string[]>>;
}

export interface FlagWords extends Place {
  readonly about: string;
  readonly char?: string;
  /** It takes no value. */
  readonly bare?: true;
  /** `--no-…` is there too. */
  readonly no?: true;
  readonly several?: true;
}

export interface CommandWords {
  readonly about: string;
  readonly args: readonly Place[];
  readonly flags: readonly FlagWords[];
}

export interface Vocabulary {
  /** By their words, joined by blanks. */
  readonly commands: Readonly<Record<string, CommandWords>>;
  /** What a topic is about, by its words. */
  readonly topics: Readonly<Record<string, string>>;
}

/** oclif's manifest, as far as it is read here. */
export interface Manifest {
  readonly commands: Readonly<Record<string, ManifestCommand>>;
}

interface ManifestCommand {
  readonly id: string;
  readonly hidden?: boolean | undefined;
  readonly summary?: string | undefined;
  readonly args?: Readonly<Record<string, { readonly options?: readonly string[] }>> | undefined;
  readonly flags?: Readonly<Record<string, ManifestFlag>> | undefined;
}

interface ManifestFlag {
  readonly name: string;
  readonly char?: string | undefined;
  readonly type: string;
  readonly description?: string | undefined;
  readonly hidden?: boolean | undefined;
  readonly allowNo?: boolean | undefined;
  readonly multiple?: boolean | undefined;
  readonly options?: readonly string[] | undefined;
  readonly helpValue?: string | readonly string[] | undefined;
}

/** `fieldsOf` names the columns of an operation's resource, `explained` what help knows beside commands. */
export function vocabularyOf(
  manifest: Manifest,
  topics: Readonly<Record<string, { readonly description?: string }>>,
  fieldsOf: (op: Operation) => readonly string[],
  explained: readonly string[],
): Vocabulary {
  const operations = operationsOf();
  const paths = operations.pathsByMethod();
  const special: Readonly<Record<string, Omit<Place, 'name'>>> = {
    'help subject': { commands: true, values: explained },
    'api method': { values: Object.keys(paths) },
    'api path': { paths },
  };
  const commands = Object.values(manifest.commands).filter(({ hidden }) => hidden !== true);
  return {
    commands: Object.fromEntries(
      commands
        .map(({ id, summary = '', args = {}, flags = {} }) => {
          const op = operations.byCommand(id);
          const words: CommandWords = {
            about: summary,
            args: Object.entries(args).map(([name, { options }]) => {
              const own = special[`${id} ${name}`];
              return own === undefined ? placeOf(id, name, options, Object.keys(args), operations) : { name, ...own };
            }),
            flags: Object.values(flags)
              .filter(({ hidden }) => hidden !== true)
              .map((flag) => flagWords(flag, op, operations, fieldsOf)),
          };
          return [id.replaceAll(':', ' '), words] as const;
        })
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ),
    topics: Object.fromEntries(Object.entries(topics).map(([name, { description = '' }]) => [name.replaceAll(':', ' '), description])),
  };
}

const NAMES_A_PROFILE = /^profile:(?:use|show|remove)$/u;
const NAMES_A_SNAPSHOT = /^snapshot:(?:load|delete)$/u;

type Operations = ReturnType<typeof operationsOf>;

function placeOf(
  id: string,
  name: string,
  options: readonly string[] | undefined,
  before: readonly string[],
  operations: Operations,
): Place {
  if (options !== undefined && options.length > 0) return { name, values: options };
  if (name === 'event') return { name, values: SUBSCRIBABLE_EVENTS };
  if (name === 'file') return { name, file: true };
  if (NAMES_A_PROFILE.test(id)) return { name: 'profile' };
  // Nobody knows the name of what is yet to be made.
  if (name === 'name' && !NAMES_A_SNAPSHOT.test(id)) return { name };
  const source = operations.sourceOf(name, before.slice(0, before.indexOf(name)));
  return source === undefined ? { name } : { name, source };
}

function flagWords(
  flag: ManifestFlag,
  op: Operation | undefined,
  operations: Operations,
  fieldsOf: (op: Operation) => readonly string[],
): FlagWords {
  const { name, char, type, description = '', allowNo, multiple, options, helpValue = '' } = flag;
  const about = description.split('. ')[0]?.replace(/\.$/u, '') ?? '';
  const common = { name, about, ...(char === undefined ? {} : { char }), ...(multiple === true ? { several: true as const } : {}) };
  if (type === 'boolean') return { ...common, bare: true, ...(allowNo === true ? { no: true as const } : {}) };
  if (options !== undefined) return { ...common, values: options };
  if (/FILE|DIR$/u.test(String(helpValue))) return { ...common, file: true };
  if (name === 'columns') return op === undefined ? common : { ...common, values: fieldsOf(op), list: true };
  if (name === 'event' || name === 'events') return { ...common, values: SUBSCRIBABLE_EVENTS, list: true };
  const listed = listValues(op?.query?.properties[name.replaceAll('-', '_')]);
  if (listed !== undefined) return { ...common, values: listed, list: true };
  // What a record is called is no snapshot, the only thing that goes by its name in an address.
  const source = name === 'name' ? undefined : operations.sourceOf(name.replaceAll('-', '_'), []);
  return source === undefined ? common : { ...common, source };
}

const listValues = (schema: AnySchema | undefined): readonly string[] | undefined =>
  schema?.kind === 'array' && schema.items.kind === 'enum' ? schema.items.values : undefined;
