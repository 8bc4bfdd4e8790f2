/** Rows by id, the latest change last, and never more than a fixed number. */

interface Identified {
  readonly id: string;
}

export const RING_MAX = 2_000;

/** The rows with these changes: a row that changed moves to the end, the oldest beyond `max` go. Arguments stay as they are. */
export function pushed<R extends Identified>(rows: readonly R[], changes: readonly R[], max: number = RING_MAX): readonly R[] {
  if (changes.length === 0) return rows;
  const latest = new Map<string, R>();
  for (const row of changes) {
    latest.delete(row.id);
    latest.set(row.id, row);
  }
  const kept = rows.filter(({ id }) => !latest.has(id));
  return [...kept, ...latest.values()].slice(-max);
}
