/** The filter after `/`: a substring, `/a regular expression/`, or either after `!` for rows that do not match. */
import { foldForSearch } from '../../contract/search-text.ts';

export interface Filter {
  readonly text: string;
  /** Why the filter is invalid; null if it is valid. An invalid filter matches every row. */
  readonly problem: string | null;
  matches(row: string): boolean;
}

const matchAll = (text: string, problem: string | null): Filter => ({ text, problem, matches: () => true });

/** Ignores case, and outside of regular expressions accents, as `search` does. */
export function parseFilter(typed: string): Filter {
  const text = typed.trim();
  const inverse = text.startsWith('!');
  const wanted = inverse ? text.slice(1).trim() : text;
  if (wanted === '' || wanted === '/') return matchAll(text, null);
  const expression = /^\/(.+?)\/?$/su.exec(wanted)?.[1];
  if (expression === undefined) {
    const part = foldForSearch(wanted);
    return { text, problem: null, matches: (row) => foldForSearch(row).includes(part) !== inverse };
  }
  try {
    const pattern = new RegExp(expression, 'iu');
    return { text, problem: null, matches: (row) => pattern.test(row) !== inverse };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /u, '') : String(error);
    return matchAll(text, `Invalid regular expression: ${reason}`);
  }
}
