/** Idempotency keys of rows. They derive from the values, so that a row is recognized in every file and at every position. */
import { normalizeValue } from '../existing-records.ts';
import type { Row } from './rows.ts';
import { createSeenValues } from './seen-values.ts';

export interface KeyedRow extends Row {
  readonly idempotencyKey: string;
}

/** Adds a key to each row; equal rows of one file have different keys. `job` is part of every key. */
export async function* addIdempotencyKeys(rows: AsyncIterable<Row>, job: string): AsyncGenerator<KeyedRow> {
  const { hash } = process.getBuiltinModule('node:crypto');
  const seenRows = createSeenValues();
  /** Number of the first of several equal rows → how many there were. */
  const repetitions = new Map<number, number>();
  for await (const row of rows) {
    const content = JSON.stringify({ ...row.value, ...listNamed(row) }, toComparable);
    const first = seenRows.add(content, row.number);
    const ordinal = first === null ? 1 : (repetitions.get(first) ?? 1) + 1;
    if (first !== null) repetitions.set(first, ordinal);
    yield { ...row, idempotencyKey: `${job}-${hash('sha256', content).slice(0, 32)}-${String(ordinal)}` };
  }
}

/** What a row has besides its values, under names that no field has. */
const listNamed = ({ parent, renamed }: Row): Readonly<Record<string, unknown>> => ({
  ...(parent === undefined ? {} : { 'parent.id': parent }),
  ...Object.fromEntries(Object.entries(renamed).map(([field, { id }]) => [`${field}.id`, id])),
});

/** Replacer for JSON in which rows that create equal records are equal: in any order of fields, with or without blank ones. */
const toComparable = (_key: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return normalizeValue(value);
  const fields = Object.entries(value).filter(([, each]) => normalizeValue(each) !== null);
  return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};
