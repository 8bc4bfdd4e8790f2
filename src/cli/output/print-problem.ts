/** Prints an error for people: the message, each invalid field, details, the hint and the request id. */
import type { FieldProblem } from '../../contract/errors.ts';
import { formatReferences } from '../../contract/record-references.ts';
import type { Paint } from './style.ts';
import { getValueAt, toDisplayText } from './fields.ts';
import { type Layout, formatHeader, formatRow, layOutTable } from './table.ts';
import { wrapText } from './text-width.ts';
import { sanitize, sanitizeOutput } from '../../platform/terminal-text.ts';
import { type CommandInput, formatFieldProblem, formatMissingFlags, listMissingFlags } from '../errors/field-errors.ts';
import type { Problem } from '../errors/problem.ts';

export interface PrintProblemOptions {
  readonly paint: Paint;
  readonly input: CommandInput;
  /** Undefined if the output is no terminal. */
  readonly terminalWidth: number | undefined;
  write(line: string): void;
}

/** Width of `Error: ` and `Hint:  `. */
const LABEL_CHARS = 7;

export function printProblem(problem: Problem, { paint, input, terminalWidth = Infinity, write }: PrintProblemOptions): void {
  const writeWrapped = (label: string, text: string, indent = LABEL_CHARS): void => {
    const [first = '', ...rest] = wrapText(text, terminalWidth - indent);
    write(label + first);
    for (const line of rest) write(' '.repeat(indent) + line);
  };
  const { headline, fieldLines } = formatMessage(problem, input);
  writeWrapped(`${paint('red', 'Error:')} `, sanitize(headline));
  for (const line of [...fieldLines, ...formatDetails(problem)]) writeWrapped('  ', sanitize(line), 2);
  for (const rows of Object.values(problem.details ?? {}).filter(isTable))
    for (const line of formatTable(rows, paint, terminalWidth)) write(`  ${line}`);
  if (problem.hint !== null) writeWrapped(`${paint('cyan', 'Hint:')}  `, sanitizeOutput(problem.hint));
  if (problem.requestId !== null) write(paint('dim', `Request ${sanitize(problem.requestId)}`));
}

function formatMessage({ code, message, fields, details, hint }: Problem, input: CommandInput): { headline: string; fieldLines: string[] } {
  if (code === 'RESOURCE_IN_USE' && isCounts(details?.['references']) && hint !== null)
    return { headline: `In use by ${formatReferences(details['references'], getExamples(details))}`, fieldLines: [] };
  if (fields === null || fields.length === 0) {
    // DUPLICATE_VALUE names the field in the details.
    const field = details?.['field'];
    if (typeof field !== 'string' || !message.startsWith(`${field} `)) return { headline: message, fieldLines: [] };
    return { headline: formatFieldProblem({ in: 'body', path: `/${field}`, code: 'invalid', message }, input), fieldLines: [] };
  }
  const missing = listMissingFlags(fields, input);
  if (missing) return { headline: formatMissingFlags(missing, input.options), fieldLines: [] };
  const fieldLines = fields.map((field) => formatFieldProblem(field, input));
  if (fields.length > 1) return { headline: `${String(fields.length)} invalid values`, fieldLines };
  return isSameMessage(message, fields[0]) ? { headline: fieldLines[0] ?? message, fieldLines: [] } : { headline: message, fieldLines };
}

const isSameMessage = (message: string, field: FieldProblem | undefined): boolean =>
  message.replace(/\.$/u, '') === field?.message.replace(/\.$/u, '');

const isCounts = (value: unknown): value is Readonly<Record<string, number>> => typeof value === 'object' && value !== null;

/** A service without the extensions of stockroom names none. */
function getExamples({ examples }: NonNullable<Problem['details']>): Readonly<Record<string, readonly string[]>> {
  const kinds = Object.entries(typeof examples === 'object' && examples !== null ? examples : {});
  return Object.fromEntries(kinds.filter(([, names]) => Array.isArray(names)));
}

/** Details that the message states or that mean nothing to people. */
const HIDDEN_DETAILS = [
  'allowed',
  'examples',
  'field',
  'from',
  'fulfilment',
  'limit',
  'line',
  'lineNumber',
  'orderLineId',
  'references',
  'remaining',
  'requiredPlan',
  'requiredScope',
  'retryAfterSeconds',
  'stockDocumentIds',
  'to',
  'value',
];

function formatDetails({ details }: Problem): string[] {
  return Object.entries(details ?? {}).flatMap(([name, value]) => {
    // The JSON pointer of a field, which the message is about. A cycle has the path of its items.
    const isPointer = name === 'path' && typeof value === 'string';
    if (HIDDEN_DETAILS.includes(name) || isPointer || isTable(value)) return [];
    return [`${name}: ${formatDetail(value)}`];
  });
}

function formatDetail(value: unknown): string {
  if (Array.isArray(value)) return value.map((entry) => (typeof entry === 'object' ? JSON.stringify(entry) : String(entry))).join(', ');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, inner]) => `${key} ${String(inner)}`)
      .join(', ');
  return String(value);
}

/** Details that are lists of records, such as shortages. */
const isTable = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'object' && entry !== null && !Array.isArray(entry));

/** Ids of other records come last: a narrow terminal leaves out columns from the right. What to pass instead of a name stays. */
function formatTable(rows: readonly object[], paint: Paint, terminalWidth: number): string[] {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const isId = (name: string) => name.endsWith('Id');
  const columns = [...names.filter((name) => !isId(name)), ...names.filter(isId)];
  const isText = (row: object, name: string) => String(getValueAt(row, name)).includes(' ');
  const texts = columns.filter((name) => rows.some((row) => isText(row, name)));
  const neverTruncated = columns.filter((name) => !texts.includes(name));
  // Ids may be left out, but no part of a message, even if it is the same in all rows.
  const layout = layOutTable(columns, rows, { terminalWidth: terminalWidth - INDENT, keepAll: !names.some(isId), neverTruncated });
  const wrapped = layout.columns.filter(({ path }) => texts.includes(path));
  return [formatHeader(layout, paint), ...rows.flatMap((row) => wrapRow(row, wrapped).map((line) => formatRow(layout, line)))];
}

/** The lines of a row whose sentences are wrapped instead of shortened. */
function wrapRow(row: object, columns: Layout['columns']): readonly object[] {
  const texts = columns.map(({ path, width }) => [path, wrapText(toDisplayText(getValueAt(row, path)), width)] as const);
  const height = Math.max(1, ...texts.map(([, lines]) => lines.length));
  return Array.from({ length: height }, (_, at) => ({
    ...(at === 0 ? row : Object.fromEntries(Object.keys(row).map((name) => [name, ' ']))),
    ...Object.fromEntries(texts.map(([path, lines]) => [path, lines[at] ?? ' '])),
  }));
}

const INDENT = 2;
