/** The queries that were typed in a tab, the latest last. */

const QUERIES_MAX = 50;

/** Without an earlier repetition of the query. */
export const addQuery = (history: readonly string[], query: string): readonly string[] =>
  query === '' ? history : [...history.filter((each) => each !== query), query].slice(-QUERIES_MAX);

export interface Recalled {
  readonly text: string;
  /** How far back: 1 is the latest query, 0 none. */
  readonly back: number;
}

/** The query before (`step` 1) or after (-1) the one that is `back` queries ago. */
export function recall(history: readonly string[], back: number, step: 1 | -1): Recalled {
  const next = Math.min(Math.max(0, back + step), history.length);
  return { text: next === 0 ? '' : (history[history.length - next] ?? ''), back: next };
}
