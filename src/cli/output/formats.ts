/** Output formats for programs; each keeps all characters of the data. */
import { parseLosslessJson } from '../lossless-json.ts';
import { toPlainText, getValueAt } from './fields.ts';

/** `tsv` is the default in a pipe. */
export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'] as const;
export type Format = (typeof FORMATS)[number];

/** Escapes tabs and line breaks in values as `\t` and `\n`, so that a record is always one line. */
export function toTsvLine(values: readonly unknown[]): string {
  return values
    .map((value) =>
      toPlainText(value).replaceAll(
        /[\\\p{Control}]/gu,
        (char) => TSV_ESCAPES[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
      ),
    )
    .join('\t');
}

const TSV_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': String.raw`\t`, '\n': String.raw`\n`, '\r': String.raw`\r` };

/** A line of RFC 4180; the caller adds LF to its CR. `isSafe`: no text can be a formula in a spreadsheet. */
export function toCsvLine(values: readonly unknown[], isSafe = false): string {
  const cells = isSafe ? values.map(toSafeValue) : values;
  return `${cells.map(toCsvCell).join(',')}\r`;
}

/** Texts that spreadsheets can run as formulas (OWASP: CSV injection), also with full-width characters. Numbers are none. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/u;

function toSafeValue(value: unknown): unknown {
  if (value === null || value === undefined || typeof value === 'number') return value;
  const text = toPlainText(value);
  return FORMULA.test(text) ? `'${text}` : value;
}

/** The text that `--csv-safe` changed. */
export const fromSafeText = (text: string): string => (text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text);

/** Quotes texts with separators, quotation marks, line breaks, or blanks at their start or end. */
function toCsvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = toPlainText(value);
  return NEEDS_CSV_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
const NEEDS_CSV_QUOTES = /[",\r\n]|^\s|\s$/u;

/** Returns the fields of a row at the given paths; the whole row for null. */
export function pickFields(row: unknown, paths: readonly string[] | null): unknown {
  if (paths === null) return row;
  return Object.fromEntries(paths.map((path) => [path, getValueAt(row, path) ?? null]));
}

/** Formats a value as YAML 1.2; strings that could be read as another type are quoted as JSON. */
export function toYamlLines(value: unknown, indent = ''): string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [`${indent}[]`];
    return value.flatMap((entry) => {
      const [first = '', ...rest] = toYamlLines(entry, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  if (typeof value !== 'object' || value === null) return [indent + toYamlScalar(value)];
  const entries = Object.entries(value);
  if (entries.length === 0) return [`${indent}{}`];
  return entries.flatMap(([key, inner]: [string, unknown]) => {
    const name = `${indent}${toYamlScalar(key)}:`;
    if (typeof inner !== 'object' || inner === null) return [`${name} ${toYamlScalar(inner)}`];
    if (Object.keys(inner).length === 0) return [`${name} ${Array.isArray(inner) ? '[]' : '{}'}`];
    return [name, ...toYamlLines(inner, `${indent}  `)];
  });
}

const YAML_PLAIN = /^[A-Za-z_][\w ./()-]*$/u;
const YAML_RESERVED = /^(?:true|false|yes|no|on|off|null|y|n)$/iu;

function toYamlScalar(value: unknown): string {
  if (typeof value !== 'string') return Array.isArray(value) ? '[]' : JSON.stringify(value ?? null);
  return YAML_PLAIN.test(value) && !YAML_RESERVED.test(value) && value.trim() === value ? value : JSON.stringify(value);
}

/** Indents JSON text; numbers keep their digits. */
export const indentJson = (text: string): string => JSON.stringify(parseLosslessJson(text), null, 2);
