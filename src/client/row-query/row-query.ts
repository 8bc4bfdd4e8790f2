/**
 * The query language for rows, in the dashboard and in `--filter`. A row must match every term:
 *
 *   shop                  the text of the row contains the word; `"shop sync"` with spaces
 *   /a regular expression/
 *   event:order.*         a field; `*` stands for any text, `event:order.created,order.updated` for either
 *   http:5xx  http:>=400  a number, a class of status codes, or a comparison
 *   took:>1s  since:2h    a duration: how long something took, or how long ago it happened
 *   !term                 rows that do not match the term
 *
 * Case and accents do not matter, except in regular expressions, where accents do.
 */
import { DURATION_UNITS_MS } from '../../contract/durations.ts';
import { foldForSearch } from '../../contract/search-text.ts';
import { type Term, splitTerms } from './terms.ts';

/** `values`: all that a text can be. `since` and `until`: in epoch milliseconds. `milliseconds`: compared with durations. */
export type QueryField<R> =
  | { readonly kind: 'text'; readonly values?: readonly string[]; get(row: R): string | null | readonly string[] }
  | { readonly kind: 'number' | 'milliseconds'; get(row: R): number | null }
  | { readonly kind: 'since' | 'until'; get(row: R): number };

export interface QueryContext<R> {
  readonly fields: Readonly<Record<string, QueryField<R>>>;
  /** The text that words are looked for in. */
  getText(row: R): string;
  /** In epoch milliseconds. Called for each row, so that a query can outlive the moment in which it was typed. */
  readonly now: () => number;
}

export interface RowQuery<R> {
  /** Why it is invalid, with the position; null if it is valid. An invalid query matches every row. */
  readonly problem: string | null;
  matches(row: R): boolean;
}

type Matcher<R> = (row: R) => boolean;

class InvalidTerm extends Error {}

export function parseRowQuery<R>(query: string, context: QueryContext<R>): RowQuery<R> {
  const matchers: Matcher<R>[] = [];
  for (const term of splitTerms(query)) {
    try {
      const matcher = toMatcher(term, context);
      matchers.push(term.isInverse ? (row) => !matcher(row) : matcher);
    } catch (error) {
      if (!(error instanceof InvalidTerm)) throw error;
      return { problem: `at ${String(term.position)}: ${error.message}`, matches: () => true };
    }
  }
  return { problem: null, matches: (row) => matchers.every((matches) => matches(row)) };
}

function toMatcher<R>({ kind, name, value }: Term, { fields, getText, now }: QueryContext<R>): Matcher<R> {
  if (kind === 'expression') {
    const expression = toExpression(value);
    return (row) => expression.test(getText(row));
  }
  if (kind === 'text') {
    const part = foldForSearch(value);
    return (row) => foldForSearch(getText(row)).includes(part);
  }
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) throw new InvalidTerm(`no field "${name}"; there are ${Object.keys(fields).join(', ')}`);
  if (value === '') throw new InvalidTerm(`${name}: needs a value, such as ${name}:${EXAMPLES[field.kind]}`);
  switch (field.kind) {
    case 'text':
      return toTextMatcher(field, name, value);
    case 'since':
    case 'until': {
      const age = toMilliseconds(value, name);
      return field.kind === 'since' ? (row) => field.get(row) >= now() - age : (row) => field.get(row) <= now() - age;
    }
    case 'number':
    case 'milliseconds':
      return toNumberMatcher(field, name, value);
  }
}

const EXAMPLES: Readonly<Record<QueryField<unknown>['kind'], string>> = {
  text: 'abc*',
  number: '>=400',
  milliseconds: '>1s',
  since: '2h',
  until: '10m',
};

function toExpression(source: string): RegExp {
  try {
    return new RegExp(source, 'iu');
  } catch (error) {
    throw new InvalidTerm(`invalid regular expression: ${(error as Error).message.replace(/^.*: /su, '')}`);
  }
}

/** Special in regular expressions, except `*`. */
const SPECIAL = /[\\^$.+?()[\]{}|/]/gu;

/** Without a `*`, the field contains the text. */
function toTextMatcher<R>({ get, values }: Extract<QueryField<R>, { kind: 'text' }>, name: string, value: string): Matcher<R> {
  const tests = value.split(',').map((part) => {
    const matches = toTextTest(part);
    if (values?.some(matches) === false) throw new InvalidTerm(`${name}: has no value "${part}"; there are ${values.join(', ')}`);
    return matches;
  });
  return (row) => {
    const found = get(row);
    const texts = (typeof found === 'string' ? [found] : (found ?? [])).map((text) => foldForSearch(text));
    return texts.some((text) => tests.some((matches) => matches(text)));
  };
}

function toTextTest(part: string): (text: string) => boolean {
  const wanted = foldForSearch(part);
  if (!wanted.includes('*')) return (text: string) => text.includes(wanted);
  const pattern = new RegExp(`^${wanted.replaceAll(SPECIAL, String.raw`\$&`).replaceAll('*', '.*')}$`, 'su');
  return (text: string) => pattern.test(text);
}

const COMPARISON = /^(>=|<=|>|<|=)?(.+)$/su;
const STATUS_CLASS = /^([1-5])xx$/iu;
const CLASS_SIZE = 100;

function toNumberMatcher<R>(
  { kind, get }: { readonly kind: 'number' | 'milliseconds'; get(row: R): number | null },
  name: string,
  value: string,
): Matcher<R> {
  const tests = value.split(',').map((part): ((number: number) => boolean) => {
    const statusClass = kind === 'number' ? STATUS_CLASS.exec(part)?.[1] : undefined;
    if (statusClass !== undefined) return (number) => Math.floor(number / CLASS_SIZE) === Number(statusClass);
    const [, operator = '=', text = ''] = COMPARISON.exec(part) ?? [];
    const bound = kind === 'number' ? toNumber(text, name) : toMilliseconds(text, name);
    return (number) => compare(number, operator, bound);
  });
  return (row) => {
    const number = get(row);
    return number !== null && tests.some((matches) => matches(number));
  };
}

function compare(number: number, operator: string, bound: number): boolean {
  switch (operator) {
    case '>':
      return number > bound;
    case '>=':
      return number >= bound;
    case '<':
      return number < bound;
    case '<=':
      return number <= bound;
    default:
      return number === bound;
  }
}

function toNumber(text: string, name: string): number {
  if (!/^-?\d+(?:\.\d+)?$/u.test(text))
    throw new InvalidTerm(`${name}: takes a number, such as ${name}:>=400 or ${name}:5xx, not "${text}"`);
  return Number(text);
}

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/u;

/** Of a duration, such as `2h`. */
export function toMilliseconds(text: string, name: string): number {
  const [, number, unit] = DURATION.exec(text) ?? [];
  if (number === undefined || unit === undefined)
    throw new InvalidTerm(`${name}: takes a duration, such as 250ms, 10s, 5m, 2h or 1d, not "${text}"`);
  return Number(number) * DURATION_UNITS_MS[unit]!;
}
