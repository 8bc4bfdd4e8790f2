/** Rows as the lists of their values: the names of its fields are a third and more of the JSON of a row. */
import type { Row, RowForm } from './ports.ts';

/** The fields of `R`, in the order in which their values are stored. That order stays; a new field comes behind the others. */
export type Fields<R> = readonly (keyof R & string)[];

/** What a list of fields must be besides: complete. */
export type Complete<R, F extends Fields<R>> = [Exclude<keyof R, F[number]>] extends [never]
  ? unknown
  : { readonly missing: Exclude<keyof R, F[number]> };

/** `listForm<R>()(fields)`. A row that lacks a field, as those of earlier releases may, is written as JSON is. */
export const listForm =
  <R extends Row>() =>
  <const F extends Fields<R>>(fields: F & Complete<R, F>): RowForm<R> => ({
    write: (row) => JSON.stringify(listOf(row, fields) ?? row),
    read(text) {
      const stored: unknown = JSON.parse(text);
      return Array.isArray(stored) ? rowOf<R>(stored, fields) : (stored as R);
    },
  });

/** The values of a row's fields, or undefined when one is not there: a list cannot tell that from null. */
export function listOf<R>(row: R, fields: Fields<R>): unknown[] | undefined {
  const list: unknown[] = [];
  for (let at = 0; at < fields.length; at++) {
    const value = row[fields[at]!];
    if (value === undefined) return undefined;
    list.push(value);
  }
  const updated = fields.indexOf(UPDATED as keyof R & string);
  // Most rows are never changed.
  if (updated >= 0 && list[updated] === list[fields.indexOf(CREATED as keyof R & string)]) list[updated] = null;
  return list;
}

/** The row that `listOf` made a list of. */
export function rowOf<R>(list: readonly unknown[], fields: Fields<R>): R {
  const row: Partial<Record<string, unknown>> = {};
  for (let at = 0; at < fields.length; at++) row[fields[at]!] = list[at];
  if (row[UPDATED] === null) row[UPDATED] = row[CREATED];
  return row as R;
}

const CREATED = 'createdAt';
const UPDATED = 'updatedAt';
