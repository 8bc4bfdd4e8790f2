/** Maps the columns of a file to fields, and the text of cells to values. */
import type { AnySchema, ObjectSpec } from '../../../contract/schema/builder.ts';
import { getRecordNames } from '../../../contract/schema/record-kinds.ts';
import { toLosslessNumber, isJsonNumber } from '../../lossless-json.ts';
import { usageError } from '../../errors/failure.ts';
import { findClosestMatch } from '../../../contract/schema/closest-match.ts';

/** Column → the name that it could have had, from `--map`: of a field, or such as `category.name`; an empty one ignores the column. */
export type ColumnMap = ReadonlyMap<string, string>;

export function parseMap(pairs: readonly string[], body: ObjectSpec): ColumnMap {
  const aliases = listAliases(body);
  return new Map(
    pairs.map((pair) => {
      const at = pair.lastIndexOf('=');
      if (at < 1)
        throw usageError(
          `Invalid --map "${pair}". Expected COLUMN=FIELD`,
          "Example: --map 'Part no.=sku', or --map Color= to ignore a column",
        );
      const column = pair.slice(0, at).trim();
      const name = pair.slice(at + 1).trim();
      if (name === '') return [column, ''];
      const alias = aliases.get(normalizeName(name));
      if (!alias) throw createUnknownError(`--map ${pair}: unknown field "${name}"`, name, body);
      return [column, getAliasName(alias)];
    }),
  );
}

function createUnknownError(message: string, name: string, body: ObjectSpec, hint = '') {
  const fields = Object.keys(body.properties);
  const near = findClosestMatch(name, fields);
  return usageError(`${message}${near === null ? '' : `. Did you mean "${near}"?`}`, `${hint}Fields: ${fields.join(', ')}`);
}

export interface Column {
  readonly name: string;
  /** Undefined if the column is ignored. */
  readonly field: string | undefined;
  readonly schema: AnySchema | undefined;
  /** The cells name the record that the field refers to, by the field of this path; empty for any of its names. */
  readonly namedBy?: string;
  /** The column of a field of a record with lines that --map ignores: rows with other cells are lines of another record. */
  readonly separates?: boolean;
}

type Alias = Pick<Column, 'schema' | 'namedBy'> & { readonly field: string };

export interface ColumnPlan {
  readonly columns: readonly Column[];
  /** Columns of fields that only the service sets, as exports have them. */
  readonly ignored: readonly string[];
}

/** `Sale Price`, `sale_price` and `salePrice` have the same normalized name. */
const normalizeName = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Fields of lines are columns such as `lines.quantity`, or `quantity` if the record itself has no such field. */
export const LINE_PREFIX = 'lines.';

/** The columns that a field can have, by their normalized names. */
function listAliases(body: ObjectSpec): ReadonlyMap<string, Alias> {
  const aliases = new Map<string, Alias>();
  const add = (name: string, column: Alias): void => {
    if (!aliases.has(normalizeName(name))) aliases.set(normalizeName(name), column);
  };
  const entries = Object.entries(body.properties);
  for (const [field, schema] of entries) add(field, { field, schema });
  const withShortNames = entries.flatMap(([field, schema]): (readonly [name: string, field: string, schema: AnySchema])[] =>
    field.startsWith(LINE_PREFIX)
      ? [
          [field, field, schema],
          [field.slice(LINE_PREFIX.length), field, schema],
          [field.replace(LINE_PREFIX, 'line.'), field, schema],
        ]
      : [[field, field, schema]],
  );
  for (const [name, field, schema] of withShortNames) add(name, { field, schema });
  // Names of the records that fields refer to: `category`, `category.name`, `item.sku`.
  for (const [name, field, schema] of withShortNames) {
    if (schema.refersTo === undefined) continue;
    // `ingredient.sku` for ingredientItemId.
    for (const record of [name.replace(/Id$/u, ''), name.replace(/(?<=[a-z])ItemId$/u, '')]) {
      for (const path of Object.keys(getRecordNames(schema.refersTo).fields)) add(`${record}.${path}`, { field, schema, namedBy: path });
      add(record, { field, schema, namedBy: '' });
    }
  }
  return aliases;
}

/** The column that names the record of a field, as rejected rows have it: `category.name`, `lines.item.sku`, `ingredient.sku`. */
export const getNameColumn = (field: string, path: string): string =>
  [field.replace(/(?<=[a-z])ItemId$|Id$/u, ''), path].filter(Boolean).join('.');

/** The name of a column with this meaning. */
const getAliasName = ({ field, namedBy }: Alias): string => (namedBy === undefined ? field : getNameColumn(field, namedBy));

export type NameColumns = ReadonlyMap<string, Omit<Column, 'name'>>;

/** The names in an object of JSON: those of a record, or of one of its lines. */
export function listNameColumns({ properties }: ObjectSpec): NameColumns {
  const fields = Object.entries(properties).filter(([field]) => !field.startsWith(LINE_PREFIX));
  const columns = fields.flatMap(([field, schema]) =>
    schema.refersTo === undefined
      ? []
      : [...Object.keys(getRecordNames(schema.refersTo).fields), ''].map(
          (namedBy) => [getNameColumn(field, namedBy), { field, schema, namedBy }] as const,
        ),
  );
  return new Map(columns.filter(([name]) => properties[name] === undefined));
}

/**
 * Assigns a field to each column of a header. `readOnly`: fields that the service sets, which exports contain and imports ignore. Throws a
 * usage error for unknown and duplicate columns.
 */
export function planColumns(names: readonly string[], body: ObjectSpec, readOnly: readonly string[], map: ColumnMap): ColumnPlan {
  const unused = [...map.keys()].find((name) => !names.includes(name));
  if (unused !== undefined) throw usageError(`--map ${unused}=…: the file has no such column`, `Columns: ${names.join(', ')}`);
  const aliases = listAliases(body);
  const ignored: string[] = [];
  const columns = names.map((name): Column => {
    const mapped = map.get(name);
    const alias = aliases.get(normalizeName(mapped || name));
    if (mapped === '') return { name, field: undefined, schema: undefined, separates: alias?.field.startsWith(LINE_PREFIX) === false };
    if (alias) return { name, ...alias };
    if (!readOnly.includes(name)) throw createUnknownColumnError(name, body);
    ignored.push(name);
    return { name, field: undefined, schema: undefined };
  });
  for (const [at, { name, field, namedBy }] of columns.entries()) {
    const isSame = (other: Column): boolean => field !== undefined && other.field === field && other.namedBy === namedBy;
    const first = columns.findIndex(isSame);
    if (first !== -1 && first < at)
      throw usageError(
        `Columns ${String(first + 1)} (${columns[first]?.name ?? ''}) and ${String(at + 1)} (${name}) are both ${field ?? ''}`,
      );
  }
  return { columns, ignored };
}

function createUnknownColumnError(name: string, body: ObjectSpec) {
  const message = name === '' ? 'A column has no name' : `Unknown column "${name}"`;
  return createUnknownError(message, name, body, `Map it with --map '${name}=FIELD', or ignore it with --map '${name}='. `);
}

/** A value to validate, and the same as it is sent, where numbers keep their digits. */
export interface Cell {
  readonly value: unknown;
  readonly sent: unknown;
}

/** How the numbers of a file are written; `either`: with a point, or without one with a comma. */
export type Decimal = '.' | ',' | 'either';

const THOUSANDS = /^-?\d{1,3}(?:\.\d{3})+(?:,\d+)?$/u;
/** A thousand or a thousandth: `1.249`. */
const AMBIGUOUS = /^-?[1-9]\d{0,2}\.\d{3}$/u;

/** The number that a text is with a decimal point, and with a decimal comma; undefined unless it can be both. */
export const listReadings = (text: string): readonly string[] | undefined =>
  AMBIGUOUS.test(text) ? [text, text.replace('.', '')] : undefined;

/** `0,45` and `1.234,50` → `0.45` and `1234.50`; empty if it is no number, or may be two. */
function toPlainNumber(text: string, decimal: Decimal): string {
  if (decimal === 'either' && AMBIGUOUS.test(text)) return '';
  const hasDecimalComma = text.includes(',') || /\..*\./u.test(text);
  if (decimal === '.' || (decimal === 'either' && !hasDecimalComma)) return text;
  return (THOUSANDS.test(text) ? text.replaceAll('.', '') : text.includes('.') ? '' : text).replace(',', '.');
}

const YES_NO: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

/**
 * Converts a cell to the type of its field. Undefined if the cell is empty and the field is not nullable. Text that cannot be converted stays
 * text, which the validation rejects.
 */
export function parseCell(text: string, schema: AnySchema | undefined, decimal: Decimal = '.'): Cell | undefined {
  if (text.trim() === '') return schema?.nullable ? { value: null, sent: null } : undefined;
  const trimmed = text.trim();
  switch (schema?.kind) {
    case 'number': {
      const number = toPlainNumber(trimmed, decimal);
      if (!isJsonNumber(number)) return toCell(text);
      return { value: Number(number), sent: String(Number(number)) === number ? Number(number) : toLosslessNumber(number) };
    }
    case 'boolean':
      return toCell(YES_NO[trimmed.toLowerCase()] ?? text);
    case 'enum':
      return toCell(schema.values.find((value) => value === trimmed.toLowerCase()) ?? text);
    case 'map':
      return toCell(parseJsonCell(text));
    default:
      return toCell(schema?.kind === 'string' && schema.format !== undefined ? trimmed : text);
  }
}

/** An object, as exports write it; other text stays text. */
function parseJsonCell(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const toCell = (value: unknown): Cell => ({ value, sent: value });
