/** Rows by id, the latest change last, limited to a fixed number. */

interface Identified {
  readonly id: string;
}

export const MAX_ROWS = 2_000;

/** Returns the rows with the changes: changed rows move to the end, the oldest beyond `max` are dropped. */
export function pushRows<R extends Identified>(rows: readonly R[], changes: readonly R[], max: number = MAX_ROWS): readonly R[] {
  if (changes.length === 0) return rows;
  const latest = new Map<string, R>();
  for (const row of changes) {
    latest.delete(row.id);
    latest.set(row.id, row);
  }
  const kept = rows.filter(({ id }) => !latest.has(id));
  return [...kept, ...latest.values()].slice(-max);
}
