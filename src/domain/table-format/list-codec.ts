/** Rows stored as arrays of values: field names are a third or more of a row's JSON. */
import type { Row, RowCodec } from '../kernel/ports.ts';

/** The fields of `R` in the order of the stored array. The order is a stored format: append new fields. */
export type FieldList<R> = readonly (keyof R & string)[];

/** Rejects a list that lacks a field of `R`. */
export type Complete<R, F extends FieldList<R>> = [Exclude<keyof R, F[number]>] extends [never]
  ? unknown
  : { readonly missing: Exclude<keyof R, F[number]> };

/**
 * `createListCodec<R>()(fields)`. A row without one of the fields, as earlier releases stored them, is encoded as a JSON object. Most rows
 * have no value for the `rare` fields, which come last and take no space without one: with them, append new fields to `rare` only.
 */
export const createListCodec =
  <R extends Row>() =>
  <const F extends FieldList<R>, const T extends RareFields<R>>(
    fields: F & Complete<R, readonly [...F, ...T]>,
    rare: T = [] as unknown as T,
  ): RowCodec<R> => ({
    encode: (row) => JSON.stringify(addRare(toList(row, fields), row, rare) ?? row),
    decode(text) {
      const stored: unknown = JSON.parse(text);
      if (!Array.isArray(stored)) return stored as R;
      return setRare(fromList<R>(stored, fields), stored, fields.length, rare);
    },
  });

/** Fields that may be absent. */
export type RareFields<R> = readonly { [K in keyof R & string]: undefined extends R[K] ? K : never }[keyof R & string][];

/** Appends the rare fields that have a value. */
export function addRare<R>(list: unknown[] | undefined, row: R, rare: FieldList<R>): unknown[] | undefined {
  if (list === undefined) return undefined;
  const { length } = list;
  for (let at = 0; at < rare.length; at++) {
    const value = row[rare[at]!] ?? null;
    if (value !== null) list[length + at] = value;
  }
  return list;
}

/** The inverse of `addRare`. */
export function setRare<R extends object>(row: R, stored: readonly unknown[], length: number, rare: FieldList<R>): R {
  for (let at = length; at < stored.length; at++) if (stored[at] !== null) Reflect.set(row, rare[at - length]!, stored[at]);
  return row;
}

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
