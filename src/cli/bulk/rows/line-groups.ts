/** Rows of a CSV file that are the lines of records: those with the same values in the other columns are one record. */
import { LINE_PREFIX } from './column-mapping.ts';
import { ID, type LineRows, type RowProblem } from '../bulk-resource.ts';
import type { CellRow, ParsedRow, Values } from './row-values.ts';

interface Group {
  readonly header: CellRow;
  readonly rows: CellRow[];
}

/** Yields a record for each group, in the order of their first lines. A row without values of its own continues the previous record. */
export function* groupLines(rows: readonly CellRow[], { linesMax, isSplit }: LineRows, preset: Values): Generator<ParsedRow> {
  const groups = new Map<string, Group>();
  let latest: Group | undefined;
  for (const row of rows) {
    // A wrong name in the header is kept as it is: the rows of another one are another record.
    const hasWrongHeader = row.problems.some(isHeaderProblem);
    const header = JSON.stringify([pickHeader(row.sent), row.separators, hasWrongHeader ? pickHeader(row.getGiven()) : null]);
    const isEmpty = Object.values(pickHeader(row.sent)).every((value) => value === null) && row.separators.every((cell) => cell === '');
    const isContinued = latest !== undefined && isEmpty;
    const group: Group = isContinued && latest ? latest : (groups.get(header) ?? { header: row, rows: [] });
    if (!isContinued) groups.set(header, group);
    group.rows.push(row);
    latest = group;
  }
  for (const { header, rows: lines } of groups.values()) {
    const size = isSplit ? linesMax : lines.length;
    for (let at = 0; at < lines.length; at += size) yield toRecord(header, lines.slice(at, at + size), preset);
  }
}

function toRecord(header: CellRow, rows: readonly CellRow[], preset: Values): ParsedRow {
  const build = (key: 'value' | 'sent') => ({ ...preset, ...pickHeader(header[key]), lines: rows.map((row) => pickLine(row[key])) });
  return {
    value: build('value'),
    toBody: () => JSON.stringify(build('sent')),
    getGiven: () => ({ ...pickHeader(header.getGiven()), lines: rows.map((row) => pickLine(row.getGiven())) }),
    hasIgnoredId: false,
    problems: rows.flatMap((row, at) => (at === 0 ? row.problems : row.problems.filter((problem) => !isHeaderProblem(problem)))),
    renamed: {},
    locate: ([field = '', at, ...inner]) =>
      field === 'lines' && at !== undefined ? (rows[Number(at)] ?? header).locate([LINE_PREFIX + inner.join('.')]) : header.locate([field]),
  };
}

/** Of a name in the columns that all rows of a record have in common. */
const isHeaderProblem = ({ field }: RowProblem): boolean => field !== undefined && !field.startsWith(LINE_PREFIX);

const pickHeader = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([field]) => !field.startsWith(LINE_PREFIX) && field !== ID));

const pickLine = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).flatMap(([field, value]) => (field.startsWith(LINE_PREFIX) ? [[field.slice(LINE_PREFIX.length), value]] : [])),
  );
