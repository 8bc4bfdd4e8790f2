/** An error for a person: the cause, each wrong field with the flag that sets it, what to do next, the request id. */
import type { FieldProblem } from '../contract/errors.ts';
import type { Problem } from './failure.ts';
import type { Paint } from './style.ts';
import { headerLine, layOut, rowLine } from './table.ts';
import { pad, visible, wrap } from './width.ts';

export interface ProblemOutput {
  readonly paint: Paint;
  /** Names of the flags that the command has. */
  readonly flags: readonly string[];
  /** Names of the arguments that it has. */
  readonly args?: readonly string[];
  /** Columns of the screen; undefined when it is none. */
  readonly screen: number | undefined;
  write(line: string): void;
}

const withoutStop = (text: string): string => text.replace(/\.$/u, '');

/** What stands before a sentence, and its further lines below it. */
const LABEL_CHARS = 7;

export function printProblem(problem: Problem, { paint, flags, args = [], screen = Infinity, write }: ProblemOutput): void {
  const fields = problem.fields ?? [];
  const tell = (label: string, text: string, chars = LABEL_CHARS): void => {
    const [first = '', ...rest] = wrap(text, screen - chars);
    write(label + first);
    for (const line of rest) write(' '.repeat(chars) + line);
  };
  tell(`${paint('red', 'Error:')} `, visible(sentenceOf(problem)));
  const names = fields.map((field) => inputOf(field, flags, args));
  const width = Math.max(0, ...names.map((name) => name.length));
  const [only] = fields.length === 1 ? fields : [];
  // The sentence has said it already: only the way to set it is missing.
  if (only !== undefined && withoutStop(problem.message) === withoutStop(only.message))
    tell('  ', `given by ${paint('bold', names[0] ?? '')}`, 2);
  else
    for (const [at, field] of fields.entries())
      tell(`  ${paint('bold', pad(names[at] ?? '', width))}  `, visible(field.message), width + 4);
  for (const line of detailLines(problem)) tell('  ', visible(line), 2);
  for (const rows of tablesOf(problem)) for (const line of tableLines(rows, paint, screen)) write(`  ${line}`);
  if (problem.hint !== null) tell(`${paint('cyan', 'Hint:')}  `, problem.hint);
  if (problem.requestId !== null) write(paint('dim', `Request ${problem.requestId}`));
}

/** With several fields the list says it all; with one, the sentence of the service does. */
const sentenceOf = ({ message, fields }: Problem): string =>
  fields !== null && fields.length > 1 ? `${String(fields.length)} values are not right` : message;

/** How to set a field from the command line: its own flag, an argument, or `--set`. */
export function inputOf({ in: place, path }: FieldProblem, flags: readonly string[], args: readonly string[] = []): string {
  const dotted = path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const flag = flagOf(dotted);
  // `item_id` of the command line is `itemId` in a body.
  const arg = args.find((each) => flagOf(each) === flag);
  if (place === 'path' || arg !== undefined) return (arg ?? dotted).toUpperCase();
  if (flags.includes(flag)) return `--${flag}`;
  // A flag that is given once for each entry of a list: `redirectUris.1` → --redirect-uri.
  const entry = /^(\w+)s(?:\.\d+)?$/u.exec(dotted)?.[1] ?? '';
  // And flags with a shorter name than their field: `subscribedEvents.0` → --event, `rateLimitTier` → --tier.
  const short = [flagOf(entry), lastWordOf(entry), dotted.includes('.') ? '' : lastWordOf(dotted)].find((each) => flags.includes(each));
  if (short !== undefined) return `--${short}`;
  if (place === 'header') return dotted.toLowerCase();
  if (dotted === '') return `the ${place}`;
  return place === 'query' || !flags.includes('set') ? dotted : `--set ${dotted}`;
}

const lastWordOf = (field: string): string => flagOf(field).split('-').at(-1) ?? '';

/** `salePrice` and `page_size` → `sale-price`, `page-size`. */
export const flagOf = (field: string): string =>
  field
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();

const TOLD_BY_THE_MESSAGE = ['line', 'limit', 'retryAfterSeconds', 'requiredScope', 'requiredPlan', 'field', 'value'];

/** The parts of `details` that help somebody decide. */
function detailLines({ details }: Problem): string[] {
  if (details === null) return [];
  return Object.entries(details).flatMap(([name, value]) => {
    if (TOLD_BY_THE_MESSAGE.includes(name) || isTable(value)) return [];
    if (Array.isArray(value))
      return [`${name}: ${value.map((entry) => (typeof entry === 'object' ? JSON.stringify(entry) : String(entry))).join(', ')}`];
    if (typeof value === 'object' && value !== null)
      return [
        `${name}: ${Object.entries(value)
          .map(([key, inner]) => `${key} ${String(inner)}`)
          .join(', ')}`,
      ];
    return [`${name}: ${String(value)}`];
  });
}

/** Lists of records, such as what is missing of which item. */
const tablesOf = ({ details }: Problem): (readonly object[])[] => Object.values(details ?? {}).filter(isTable);

const isTable = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'object' && entry !== null && !Array.isArray(entry));

/** Ids last: they are what a narrow screen can do without. */
function tableLines(rows: readonly object[], paint: Paint, screen: number): string[] {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const isId = (name: string) => /(?:^id|Id)$/u.test(name);
  const columns = [...names.filter((name) => !isId(name)), ...names.filter(isId)];
  const layout = layOut(columns, rows, { screen: screen - INDENT, keepAll: false });
  return [headerLine(layout, paint), ...rows.map((row) => rowLine(layout, row))];
}

const INDENT = 2;
