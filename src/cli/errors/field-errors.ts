/** Field problems of the API in terms of the command line: with the flag, the argument or the JSON path that sets the field. */
import type { FieldProblem } from '../../contract/errors.ts';
import { parsePointer } from '../../contract/schema/json-pointer.ts';
import { toFlagName } from '../flag-name.ts';

/** What the command accepts and what it was given. */
export interface CommandInput {
  /** Names of the flags that the command has. */
  readonly flags: readonly string[];
  /** Names of its arguments. */
  readonly args: readonly string[];
  /** Values of the flags, by name. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Valid values of the flags that have a fixed set of them. */
  readonly options?: FlagOptions;
}

export type FlagOptions = Readonly<Record<string, readonly string[]>>;

/** `names`: with their dashes. The values to choose from follow the names. */
export function formatMissingFlags(names: readonly string[], options: FlagOptions = {}): string {
  const values = names.flatMap((name) => {
    const valid = options[name.slice(2)]?.join(', ');
    return valid === undefined ? [] : [`. Valid values${names.length === 1 ? '' : ` of ${name}`}: ${valid}`];
  });
  return `Missing required flag${names.length === 1 ? '' : 's'} ${names.join(', ')}${values.join('')}`;
}

/** Flags whose name is not derived from the field that they set. */
const FLAGS_BY_FIELD: Readonly<Record<string, string>> = {
  grantTypes: 'grant-type',
  lines: 'line',
  rateLimitTier: 'tier',
  redirectUris: 'redirect-uri',
  scopes: 'scope',
  subscribedEvents: 'event',
};

/** Fields that one of several flags must set. */
const ALTERNATIVE_FLAGS: Readonly<Record<string, readonly string[]>> = {
  scopes: ['scope', 'all-scopes'],
  status: ['status', 'latency', 'drop'],
};

/** Where a field was set, or how it can be set if it is missing. */
type FieldSource =
  | { readonly kind: 'flag' | 'argument'; readonly name: string }
  /** Through `--data`, `--set` or `--line`. */
  | { readonly kind: 'part'; readonly flag: string }
  /** It was not given; only `--set` can set it. */
  | { readonly kind: 'settable' }
  | { readonly kind: 'unknown' };

/** One sentence per problem: `--sale-price must be at least 0`, `--data: lines[0].quantity must be greater than 0`. */
export function formatFieldProblem(problem: FieldProblem, input: CommandInput): string {
  const alternatives = listAlternatives(problem, input);
  if (alternatives) return `Pass ${alternatives.join(' or ')}`;
  const source = findSource(problem, input);
  const name = toDottedPath(problem);
  const rest = problem.message.startsWith(`${name} `) ? problem.message.slice(name.length + 1) : undefined;
  switch (source.kind) {
    case 'flag':
    case 'argument':
      if (problem.code === 'required') return formatMissing(source, problem, input);
      return rest === undefined ? `${source.name}: ${nameFields(problem.message, input)}` : `${source.name} ${nameFields(rest, input)}`;
    case 'part':
      return `${source.flag}: ${rest === undefined ? problem.message : `${toJsonPath(problem)} ${rest}`}`;
    case 'settable':
      return problem.code === 'required' ? `Missing required field ${name}; pass --set ${name}=VALUE` : problem.message;
    case 'unknown':
      return problem.message;
  }
}

function formatMissing(source: { kind: 'flag' | 'argument'; name: string }, problem: FieldProblem, { options }: CommandInput): string {
  const text = getFurtherText(problem);
  return source.kind === 'flag' && text === ''
    ? formatMissingFlags([source.name], options)
    : `Missing required ${source.kind} ${source.name}${text}`;
}

/** Replaces other fields in a message by the flags or arguments that set them: `siteId` by `SITE_ID`. */
const nameFields = (text: string, { flags, args }: CommandInput): string =>
  text.replaceAll(/\b[a-z]+(?:[A-Z][a-z]+)+\b/gu, (field) => {
    const name = toFlagName(field);
    const arg = args.find((each) => toFlagName(each) === name);
    return flags.includes(name) ? `--${name}` : (arg?.toUpperCase() ?? field);
  });

/** What a message says after its first sentence, such as the values to choose from. */
const getFurtherText = ({ message }: FieldProblem): string => /\. .*?(?=\.?$)/u.exec(message)?.[0] ?? '';

/** The flags that are missing, if that is all that is wrong; else undefined. */
export function listMissingFlags(problems: readonly FieldProblem[], input: CommandInput): readonly string[] | undefined {
  const missing: string[] = [];
  for (const problem of problems) {
    const source = findSource(problem, input);
    const isPlain = getFurtherText(problem) === '' && !listAlternatives(problem, input);
    if (problem.code !== 'required' || source.kind !== 'flag' || !isPlain) return undefined;
    missing.push(source.name);
  }
  return missing;
}

/** The flags of which one is missing; undefined if no other flag can set the field. */
function listAlternatives(problem: FieldProblem, { flags, given }: CommandInput): readonly string[] | undefined {
  const names = ALTERNATIVE_FLAGS[toDottedPath(problem)];
  const isMissing = problem.in === 'body' && problem.code === 'required' && given['data'] === undefined;
  return isMissing && names?.every((name) => flags.includes(name)) ? names.map((name) => `--${name}`) : undefined;
}

function findSource(problem: FieldProblem, { flags, args, given }: CommandInput): FieldSource {
  const path = toDottedPath(problem);
  const own = toFlagName(path);
  // `item_id` of the command line is `itemId` in a body.
  const argument = flags.includes(own) ? undefined : args.find((arg) => toFlagName(arg) === own);
  if (argument !== undefined || problem.in === 'path') return { kind: 'argument', name: (argument ?? path).toUpperCase() };
  const [field = '', index, ...nested] = path.split('.');
  // A flag that is given once per entry of a list sets `redirectUris.1`, too.
  const isEntry = index === undefined || (/^\d+$/u.test(index) && nested.length === 0);
  const flag = flags.includes(own) ? own : isEntry ? FLAGS_BY_FIELD[field] : undefined;
  const hasFlag = flag !== undefined && flags.includes(flag);
  if (hasFlag && given[flag] !== undefined) return { kind: 'flag', name: `--${flag}` };
  if (problem.in === 'body') {
    const lineFlag = FLAGS_BY_FIELD[field];
    if (lineFlag !== undefined && given[lineFlag] !== undefined) return { kind: 'part', flag: `--${lineFlag}` };
    if (isSet(path, given['set'])) return { kind: 'part', flag: '--set' };
    if (given['data'] !== undefined) return { kind: 'part', flag: '--data' };
  }
  if (hasFlag) return { kind: 'flag', name: `--${flag}` };
  return problem.in === 'body' && flags.includes('set') ? { kind: 'settable' } : { kind: 'unknown' };
}

/** Whether a `--set` assigns the field, something inside it, or something that contains it. */
function isSet(path: string, assignments: unknown): boolean {
  if (!Array.isArray(assignments)) return false;
  return assignments.some((assignment) => {
    const target = String(assignment).split('=')[0] ?? '';
    return target === path || target.startsWith(`${path}.`) || path.startsWith(`${target}.`);
  });
}

/** `/lines/0/quantity` → `lines.0.quantity`, as in the messages of the API. */
const toDottedPath = ({ path }: FieldProblem): string => parsePointer(path).join('.');

/** `/lines/0/quantity` → `lines[0].quantity`. */
const toJsonPath = (problem: FieldProblem): string => toDottedPath(problem).replaceAll(/\.(\d+)(?=\.|$)/gu, '[$1]');
