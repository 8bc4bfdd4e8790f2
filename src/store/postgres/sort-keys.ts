/**
 * How the keys of rows are stored in columns, so that PostgreSQL orders and compares them as every store must (compare.ts).
 *
 * Text is compared by UTF-16 code units, but columns of collation "C" compare the bytes of UTF-8, which order characters above U+FFFF
 * after U+E000 to U+FFFF instead of before. So those, and what PostgreSQL cannot store, are escaped with the highest code point. Null is
 * the highest value of each type: then one comparison of columns orders rows, and an index serves it.
 */
import type { Key } from '../compare.ts';

/** Types of columns. Booleans are numbers, because a boolean has no value for null above true. */
export type ColumnType = 'text' | 'number' | 'boolean' | 'texts';

export const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'text COLLATE "C"',
  number: 'double precision',
  boolean: 'smallint',
  texts: 'text[] COLLATE "C"',
};

const ESCAPE = '\u{10ffff}';
/** What null is stored as. No escaped text begins like it. */
const NULL_TEXT = ESCAPE + ESCAPE;
const NULL_BOOLEAN = 2;

// Surrogates in pairs need no escape, except those of the escape itself.
// oxlint-disable-next-line no-control-regex -- NUL cannot be stored, and U+0001 escapes it
const ESCAPED = /[\0\x01\ue000-\uffff]|\u{10ffff}|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;
/** In each text that has one of those. Few texts have one, and this is faster. */
// oxlint-disable-next-line no-control-regex -- as above
const MAY_BE_ESCAPED = /[\0\x01\ud800-\u{10ffff}]/u;

/** The stored form of a text. Its order is that of the texts by UTF-16 code units, and prefixes stay prefixes. */
export const encodeText = (text: string): string => (MAY_BE_ESCAPED.test(text) ? text.replaceAll(ESCAPED, escapeCharacter) : text);

function escapeCharacter(character: string): string {
  if (character === '\0') return '\x01\x01';
  if (character === '\x01') return '\x01\x02';
  if (character === ESCAPE) return `${ESCAPE}\x01`;
  // A lone surrogate cannot be stored. Contract texts have none.
  return character >= '\ue000' ? ESCAPE + character : `${ESCAPE}\x02${character.charCodeAt(0).toString(16)}`;
}

// oxlint-disable-next-line no-control-regex -- the escapes
const ESCAPE_SEQUENCE = /\x01([\x01\x02])|\u{10ffff}(?:\x02([\da-f]{4})|([\x01\ue000-\uffff]))/gu;

/** The text of a stored form. */
export const decodeText = (stored: string): string =>
  stored.replaceAll(ESCAPE_SEQUENCE, (_, control?: string, surrogate?: string, character?: string) => {
    if (control !== undefined) return control === '\x01' ? '\0' : '\x01';
    if (surrogate !== undefined) return String.fromCharCode(Number.parseInt(surrogate, 16));
    return character === '\x01' ? ESCAPE : character!;
  });

/** What a column stores for a key. Throws when the key has another type than the table states. */
export function toColumnValue(type: ColumnType, key: Key): unknown {
  if (type === 'texts') {
    if (key === null) return null;
    if (typeof key === 'object' && key.every((each) => typeof each === 'string')) return key.map((each) => encodeText(each));
  } else if (key === null) return getNullValue(type);
  else if (type === 'text' && typeof key === 'string') return encodeText(key);
  else if (type === 'number' && typeof key === 'number') return key;
  else if (type === 'boolean' && typeof key === 'boolean') return Number(key);
  throw new Error(`${JSON.stringify(key)} is no ${type}: state the type of the field in the specification of its table`);
}

/** Whether a column of this type can hold a value other than null. */
export const isOfType = (type: ColumnType, value: unknown): boolean =>
  typeof value === (type === 'text' || type === 'texts' ? 'string' : type);

/** What a column that is not an array stores for null. */
export function getNullValue(type: ColumnType): string | number {
  if (type === 'number') return Number.POSITIVE_INFINITY;
  return type === 'boolean' ? NULL_BOOLEAN : NULL_TEXT;
}

/** Stands between the texts of the search fields of a row. No encoded text contains it. */
export const SEARCH_SEPARATOR = `${ESCAPE}\x03`;
