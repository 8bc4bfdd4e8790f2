/** Cursors of lists: the place of the last row in an order, as opaque text. */
import type { Value } from '../../domain/kernel/ports.ts';
import { invalidField } from '../../domain/kernel/errors.ts';

export interface ListCursor {
  /** The order in which the place is. */
  readonly sort: string;
  /** The values of the row that the order compares, and its id. */
  readonly values: readonly Value[];
  readonly id: string;
}

export const encodeCursor = ({ sort, values, id }: ListCursor): string =>
  Buffer.from(JSON.stringify([sort, values, id])).toString('base64url');

const invalidCursor = (problem: string) => invalidField('/cursor', `cursor ${problem}`, 'bad_format', 'query');

/** The place of a cursor for a list in this order; undefined for an empty cursor, which begins. `types`: those of the values. */
export function decodeCursor(text: string, sort: string, types: readonly ('string' | 'number' | 'boolean')[]): ListCursor | undefined {
  if (text === '') return undefined;
  const [cursorSort, values, id] = parseList(Buffer.from(text, 'base64url').toString());
  if (typeof cursorSort !== 'string' || !Array.isArray(values) || typeof id !== 'string')
    throw invalidCursor('must be empty or the nextCursor of a previous page');
  if (cursorSort !== sort) throw invalidCursor(`is of a list in the order ${cursorSort}; pass the same sort with each page`);
  const isValid = values.length === types.length && values.every((value, at) => value === null || typeof value === types[at]);
  if (!isValid) throw invalidCursor('must be empty or the nextCursor of a previous page');
  return { sort, values: values as readonly Value[], id };
}

/** The order of a cursor; undefined if it is empty or none. */
export const readCursorSort = (text: string): unknown => parseList(Buffer.from(text, 'base64url').toString())[0];

function parseList(text: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}
