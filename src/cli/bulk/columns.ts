/** Which column of a file is which field, and what its text becomes. */
import type { AnySchema, ObjectSpec } from '../../contract/schema.ts';
import { exactNumber, isNumberText } from '../exact-json.ts';
import { usage } from '../failure.ts';
import { nearest } from '../nearest.ts';

/** Of a `--map`: column → field; an empty field leaves the column out. */
export type ColumnMap = ReadonlyMap<string, string>;

export function parseMap(pairs: readonly string[], body: ObjectSpec): ColumnMap {
  return new Map(
    pairs.map((pair) => {
      const at = pair.lastIndexOf('=');
      if (at < 1)
        throw usage(`--map ${pair} is not of the form COLUMN=FIELD`, "for example --map 'Part no.=sku', or --map Colour= to leave one out");
      const field = pair.slice(at + 1).trim();
      if (field !== '' && body.properties[field] === undefined) throw unknownField(field, `--map ${pair}`, body);
      return [pair.slice(0, at).trim(), field];
    }),
  );
}

function unknownField(field: string, where: string, body: ObjectSpec) {
  const fields = Object.keys(body.properties);
  const near = nearest(field, fields);
  return usage(`${where}: there is no field "${field}"${near === null ? '' : `; did you mean "${near}"?`}`, `fields: ${fields.join(', ')}`);
}

export interface Column {
  readonly name: string;
  /** Undefined: the column is left out. */
  readonly field: string | undefined;
  readonly schema: AnySchema | undefined;
}

export interface Plan {
  readonly columns: readonly Column[];
  /** Columns that only the service sets. */
  readonly ignored: readonly string[];
}

/** `Sale Price`, `sale_price` and `salePrice` are one name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Settles every column of a header. `settled` are fields of the resource that the service sets: an export has them, an import skips them. */
export function planColumns(names: readonly string[], body: ObjectSpec, settled: readonly string[], map: ColumnMap): Plan {
  const unused = [...map.keys()].find((name) => !names.includes(name));
  if (unused !== undefined) throw usage(`--map ${unused}=…: the file has no such column`, `columns: ${names.join(', ')}`);
  const byPlain = new Map(Object.keys(body.properties).map((field) => [plain(field), field]));
  const ignored: string[] = [];
  const columns = names.map((name): Column => {
    const field = map.get(name) ?? byPlain.get(plain(name));
    if (field === '') return { name, field: undefined, schema: undefined };
    if (field !== undefined) return { name, field, schema: body.properties[field] };
    if (!settled.includes(name)) throw unknownColumn(name, body);
    ignored.push(name);
    return { name, field: undefined, schema: undefined };
  });
  for (const [at, { name, field }] of columns.entries()) {
    const twin = columns.findIndex((other) => field !== undefined && other.field === field);
    if (twin !== -1 && twin < at)
      throw usage(`columns ${String(twin + 1)} (${columns[twin]?.name ?? ''}) and ${String(at + 1)} (${name}) are both ${field ?? ''}`);
  }
  return { columns, ignored };
}

function unknownColumn(name: string, body: ObjectSpec) {
  const fields = Object.keys(body.properties);
  const near = nearest(name, fields);
  const shown = name === '' ? 'a column has no name' : `column "${name}" is no field`;
  return usage(
    `${shown}${near === null ? '' : `; did you mean "${near}"?`}`,
    `say what it is with --map '${name}=FIELD', or leave it out with --map '${name}='; fields: ${fields.join(', ')}`,
  );
}

/** A value to check, and the same as it is sent: a number keeps its digits. */
export interface Cell {
  readonly value: unknown;
  readonly sent: unknown;
}

const YES_NO: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

/** The value of a cell. Undefined: the cell is empty and the field cannot be; text that does not fit stays text, for the check to refuse. */
export function cellOf(text: string, schema: AnySchema | undefined): Cell | undefined {
  if (text.trim() === '') return schema?.nullable ? { value: null, sent: null } : undefined;
  const trimmed = text.trim();
  switch (schema?.kind) {
    case 'number':
      if (!isNumberText(trimmed)) return same(text);
      return { value: Number(trimmed), sent: String(Number(trimmed)) === trimmed ? Number(trimmed) : exactNumber(trimmed) };
    case 'boolean':
      return same(YES_NO[trimmed.toLowerCase()] ?? text);
    case 'enum':
      return same(schema.values.find((value) => value === trimmed.toLowerCase()) ?? text);
    default:
      return same(schema?.kind === 'string' && schema.format !== undefined ? trimmed : text);
  }
}

const same = (value: unknown): Cell => ({ value, sent: value });
