/** Maps the columns of a file to fields, and the text of cells to values. */
import type { AnySchema, ObjectSpec } from '../../contract/schema/builder.ts';
import { toLosslessNumber, isJsonNumber } from '../input/lossless-json.ts';
import { usageError } from '../errors/failure.ts';
import { findClosestMatch } from '../../contract/schema/closest-match.ts';

/** Column → field, from `--map`; an empty field ignores the column. */
export type ColumnMap = ReadonlyMap<string, string>;

export function parseMap(pairs: readonly string[], body: ObjectSpec): ColumnMap {
  return new Map(
    pairs.map((pair) => {
      const at = pair.lastIndexOf('=');
      if (at < 1)
        throw usageError(
          `Invalid --map "${pair}". Expected COLUMN=FIELD`,
          "Example: --map 'Part no.=sku', or --map Color= to ignore a column",
        );
      const field = pair.slice(at + 1).trim();
      if (field !== '' && body.properties[field] === undefined) throw createUnknownFieldError(field, `--map ${pair}`, body);
      return [pair.slice(0, at).trim(), field];
    }),
  );
}

function createUnknownFieldError(field: string, where: string, body: ObjectSpec) {
  const fields = Object.keys(body.properties);
  const near = findClosestMatch(field, fields);
  return usageError(
    `${where}: unknown field "${field}"${near === null ? '' : `. Did you mean "${near}"?`}`,
    `Fields: ${fields.join(', ')}`,
  );
}

export interface Column {
  readonly name: string;
  /** Undefined if the column is ignored. */
  readonly field: string | undefined;
  readonly schema: AnySchema | undefined;
}

export interface ColumnPlan {
  readonly columns: readonly Column[];
  /** Columns of fields that only the service sets, as exports have them. */
  readonly ignored: readonly string[];
}

/** `Sale Price`, `sale_price` and `salePrice` have the same normalized name. */
const normalizeName = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/**
 * Assigns a field to each column of a header. `readOnly`: fields that the service sets, which exports contain and imports ignore. Throws a
 * usage error for unknown and duplicate columns.
 */
export function planColumns(names: readonly string[], body: ObjectSpec, readOnly: readonly string[], map: ColumnMap): ColumnPlan {
  const unused = [...map.keys()].find((name) => !names.includes(name));
  if (unused !== undefined) throw usageError(`--map ${unused}=…: the file has no such column`, `Columns: ${names.join(', ')}`);
  const byPlain = new Map(Object.keys(body.properties).map((field) => [normalizeName(field), field]));
  const ignored: string[] = [];
  const columns = names.map((name): Column => {
    const field = map.get(name) ?? byPlain.get(normalizeName(name));
    if (field === '') return { name, field: undefined, schema: undefined };
    if (field !== undefined) return { name, field, schema: body.properties[field] };
    if (!readOnly.includes(name)) throw createUnknownColumnError(name, body);
    ignored.push(name);
    return { name, field: undefined, schema: undefined };
  });
  for (const [at, { name, field }] of columns.entries()) {
    const first = columns.findIndex((other) => field !== undefined && other.field === field);
    if (first !== -1 && first < at)
      throw usageError(
        `Columns ${String(first + 1)} (${columns[first]?.name ?? ''}) and ${String(at + 1)} (${name}) are both ${field ?? ''}`,
      );
  }
  return { columns, ignored };
}

function createUnknownColumnError(name: string, body: ObjectSpec) {
  const fields = Object.keys(body.properties);
  const near = findClosestMatch(name, fields);
  const message = name === '' ? 'A column has no name' : `Unknown column "${name}"`;
  return usageError(
    `${message}${near === null ? '' : `. Did you mean "${near}"?`}`,
    `Map it with --map '${name}=FIELD', or ignore it with --map '${name}='. Fields: ${fields.join(', ')}`,
  );
}

/** A value to validate, and the same as it is sent, where numbers keep their digits. */
export interface Cell {
  readonly value: unknown;
  readonly sent: unknown;
}

const YES_NO: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

/**
 * Converts a cell to the type of its field. Undefined if the cell is empty and the field is not nullable. Text that cannot be converted stays
 * text, which the validation rejects.
 */
export function parseCell(text: string, schema: AnySchema | undefined): Cell | undefined {
  if (text.trim() === '') return schema?.nullable ? { value: null, sent: null } : undefined;
  const trimmed = text.trim();
  switch (schema?.kind) {
    case 'number':
      if (!isJsonNumber(trimmed)) return toCell(text);
      return { value: Number(trimmed), sent: String(Number(trimmed)) === trimmed ? Number(trimmed) : toLosslessNumber(trimmed) };
    case 'boolean':
      return toCell(YES_NO[trimmed.toLowerCase()] ?? text);
    case 'enum':
      return toCell(schema.values.find((value) => value === trimmed.toLowerCase()) ?? text);
    default:
      return toCell(schema?.kind === 'string' && schema.format !== undefined ? trimmed : text);
  }
}

const toCell = (value: unknown): Cell => ({ value, sent: value });
