/** Records as text for programs: every format keeps every character of the data. */
import { plainText, valueAt } from './fields.ts';

export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'yaml', 'id'] as const;
/** `tsv` is what a pipe gets when nothing was asked for. */
export type Format = (typeof FORMATS)[number] | 'tsv';

/** Tabs and line breaks inside a value are written as `\t` and `\n`, so that one record is always one line. */
export function tsvLine(values: readonly unknown[]): string {
  return values
    .map((value) =>
      plainText(value).replaceAll(
        /[\\\p{Control}]/gu,
        (char) => TSV_ESCAPES[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
      ),
    )
    .join('\t');
}

const TSV_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': String.raw`\t`, '\n': String.raw`\n`, '\r': String.raw`\r` };

/** RFC 4180, lines ended by CR LF. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r`;
}

/** Quoted where a reader would take it for something else: separators, quotation marks, and blanks at an end. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = plainText(value);
  return CSV_QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
const CSV_QUOTED = /[",\r\n]|^\s|\s$/u;

/** Only the chosen fields of a row, nested as they were. */
export function pick(row: unknown, paths: readonly string[] | null): unknown {
  if (paths === null) return row;
  return Object.fromEntries(paths.map((path) => [path, valueAt(row, path) ?? null]));
}

/** A value as YAML 1.2 lines; every string is quoted as JSON where plain text could be read as something else. */
export function yamlLines(value: unknown, indent = ''): string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [`${indent}[]`];
    return value.flatMap((entry) => {
      const [first = '', ...rest] = yamlLines(entry, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  if (typeof value !== 'object' || value === null) return [indent + yamlScalar(value)];
  const entries = Object.entries(value);
  if (entries.length === 0) return [`${indent}{}`];
  return entries.flatMap(([key, inner]: [string, unknown]) => {
    const name = `${indent}${yamlScalar(key)}:`;
    if (typeof inner !== 'object' || inner === null) return [`${name} ${yamlScalar(inner)}`];
    if (Object.keys(inner).length === 0) return [`${name} ${Array.isArray(inner) ? '[]' : '{}'}`];
    return [name, ...yamlLines(inner, `${indent}  `)];
  });
}

const YAML_PLAIN = /^[A-Za-z_][\w ./()-]*$/u;
const YAML_WORDS = /^(?:true|false|yes|no|on|off|null|y|n)$/iu;

function yamlScalar(value: unknown): string {
  if (typeof value !== 'string') return Array.isArray(value) ? '[]' : JSON.stringify(value ?? null);
  return YAML_PLAIN.test(value) && !YAML_WORDS.test(value) && value.trim() === value ? value : JSON.stringify(value);
}

/** JSON text with line breaks and indentation; every token stays as it was, so numbers keep their digits. */
export function indentJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  let opened = false;
  const breakLine = () => parts.push('\n', '  '.repeat(depth));
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gu)) {
    if (token === '}' || token === ']') {
      depth -= 1;
      if (!opened) breakLine();
    } else if (opened) breakLine();
    opened = token === '{' || token === '[';
    if (opened) depth += 1;
    parts.push(token === ':' ? ': ' : token);
    if (token === ',') breakLine();
  }
  return parts.join('');
}
