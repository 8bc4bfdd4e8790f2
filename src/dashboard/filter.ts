/** What the reader types behind `/`: a substring, `/a regular expression/`, or either after `!` for the rows that do not match. */

export interface Filter {
  readonly text: string;
  /** Why the text is no filter; null when it is one. A wrong filter lets everything pass. */
  readonly problem: string | null;
  matches(row: string): boolean;
}

const everything = (text: string, problem: string | null): Filter => ({ text, problem, matches: () => true });

/** Upper and lower case are the same, in expressions too. */
export function filterOf(typed: string): Filter {
  const text = typed.trim();
  const inverse = text.startsWith('!');
  const wanted = inverse ? text.slice(1).trim() : text;
  if (wanted === '' || wanted === '/') return everything(text, null);
  const expression = /^\/(.+?)\/?$/su.exec(wanted)?.[1];
  if (expression === undefined) {
    const part = wanted.toLowerCase();
    return { text, problem: null, matches: (row) => row.toLowerCase().includes(part) !== inverse };
  }
  try {
    const pattern = new RegExp(expression, 'iu');
    return { text, problem: null, matches: (row) => pattern.test(row) !== inverse };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /u, '') : String(error);
    return everything(text, `no regular expression: ${reason}`);
  }
}
