/** Rows stored as arrays of values: field names are a third or more of a row's JSON. */
import type { Row, RowCodec } from './ports.ts';

/** The fields of `R` in the order of the stored array. The order is a stored format: append new fields. */
export type FieldList<R> = readonly (keyof R & string)[];

/** Rejects a list that lacks a field of `R`. */
export type Complete<R, F extends FieldList<R>> = [Exclude<keyof R, F[number]>] extends [never]
  ? unknown
  : { readonly missing: Exclude<keyof R, F[number]> };

/** `createListCodec<R>()(fields)`. A row without one of the fields, as earlier releases stored them, is encoded as a JSON object. */
export const createListCodec =
  <R extends Row>() =>
  <const F extends FieldList<R>>(fields: F & Complete<R, F>): RowCodec<R> => ({
    encode: (row) => JSON.stringify(toList(row, fields) ?? row),
    decode(text) {
      const stored: unknown = JSON.parse(text);
      return Array.isArray(stored) ? fromList<R>(stored, fields) : (stored as R);
    },
  });

/** The values of a row's fields. Undefined if one is absent, because an array cannot represent an absent value. */
export function toList<R>(row: R, fields: FieldList<R>): unknown[] | undefined {
  const list: unknown[] = [];
  for (let at = 0; at < fields.length; at++) {
    const value = row[fields[at]!];
    if (value === undefined) return undefined;
    list.push(value);
  }
  const updated = fields.indexOf(UPDATED as keyof R & string);
  // Most rows are never changed, so the second timestamp is omitted.
  if (updated >= 0 && list[updated] === list[fields.indexOf(CREATED as keyof R & string)]) list[updated] = null;
  return list;
}

/** The inverse of `toList`. */
export function fromList<R>(list: readonly unknown[], fields: FieldList<R>): R {
  const row: Partial<Record<string, unknown>> = {};
  for (let at = 0; at < fields.length; at++) row[fields[at]!] = list[at];
  if (row[UPDATED] === null) row[UPDATED] = row[CREATED];
  return row as R;
}

const CREATED = 'createdAt';
const UPDATED = 'updatedAt';
