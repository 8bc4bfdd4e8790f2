/** Why a row was rejected: for the file of rejected rows, and for people with the lines of the file. */
import type { ApiError } from '../../client/errors.ts';
import type { BulkResource, RowProblem } from './bulk-resource.ts';
import type { RejectedRow } from './files/rejected-rows.ts';
import { type Row, toRowProblem } from './rows/rows.ts';

export interface Rejection {
  readonly error: { readonly code: string; readonly message: string };
  readonly problems: readonly RowProblem[];
  /** What can be done about it. */
  readonly hint?: string;
}

/** Number of problems that are reported. */
export const PROBLEMS_KEPT = 20;

/** Why rows were rejected. */
export interface Rejections {
  /** The first problems. */
  readonly problems: RowProblem[];
  /** Number of problems. */
  count: number;
  readonly hints: Set<string>;
}

export const createRejections = (): Rejections => ({ problems: [], count: 0, hints: new Set() });

export function addRejection(rejections: Rejections, { problems, hint }: Rejection): void {
  rejections.count += problems.length;
  rejections.problems.push(...problems.slice(0, PROBLEMS_KEPT - rejections.problems.length));
  if (hint !== undefined) rejections.hints.add(hint);
}

/** Of a row that was not sent because it is invalid. The error has the form of one of the service. */
export function rejectInvalid({ problems }: Pick<Row, 'problems'>): Rejection {
  const isOneLine = new Set(problems.map(({ line }) => line)).size === 1;
  const texts = problems.map(({ line, message }) => (isOneLine ? message : `line ${String(line)}: ${message}`));
  return { error: { code: 'VALIDATION_FAILED', message: texts.join('; ') }, problems };
}

/** Of a row that was not sent because of its record. The error has the form of one of the service. */
export const rejectSkipped = ({ line }: Row, code: string, message: string): Rejection => ({
  error: { code, message },
  problems: [{ line, column: '', message }],
});

/** Of a row that the service rejected. `creating`: the resource, if records that exist are not changed. */
export function rejectRefused(row: Row, cause: ApiError, creating: Pick<BulkResource, 'upsert'> | undefined): Rejection {
  const { code, message, status, fields, details, requestId } = cause;
  const stale = code === 'STALE_COUNT' ? (details?.['stale'] as readonly StaleLine[] | undefined) : undefined;
  const problems = stale?.map((line) => toStaleProblem(row, line)) ??
    fields?.map((field) => toRowProblem(row.locate, field.path.slice(1).split('/'), field.message)) ?? [
      { line: row.line, column: '', message },
    ];
  const error = {
    code,
    message: stale ? STALE_MESSAGE : message,
    status,
    ...(fields === null ? {} : { fields }),
    ...(details === null ? {} : { details }),
    requestId,
  };
  const key = code === 'DUPLICATE_VALUE' ? creating?.upsert?.keys.find(({ field }) => field === details?.['field']) : undefined;
  const hint = stale ? STALE_HINT : key && `To change the records that exist, import with --upsert ${key.flag ?? key.field}`;
  return { error, problems, ...(hint !== undefined && { hint }) };
}

interface StaleLine {
  readonly lineNumber: number;
  readonly itemId: string;
  readonly sku: string | null;
  readonly expected: number;
  readonly onHand: number;
}

const STALE_HINT =
  'Count these items again and correct both quantities; to post a count although the stock has changed, leave expectedQuantity empty';
const STALE_MESSAGE = `The stock has changed since it was counted. ${STALE_HINT}.`;

function toStaleProblem(row: Row, { lineNumber, itemId, sku, expected, onHand }: StaleLine): RowProblem {
  const at = row.locate(['lines', String(lineNumber - 1), 'expectedQuantity']);
  return { ...at, message: `${String(expected)} of ${sku ?? itemId} expected, but ${String(onHand)} on hand` };
}

/** `Line 4, item.sku: No item with SKU "BLT"` */
export const formatRowProblem = ({ line, column, message }: RowProblem): string =>
  `Line ${String(line)}${column === '' ? '' : `, ${column}`}: ${message}`;

/** The row as it was given, with its missing fields, so that it can be fixed and imported again. */
export function toRejectedRow({ line, key, missing, getGiven }: Row, { error, problems }: Rejection): RejectedRow {
  // A row with a key is of a record that exists, and needs only the fields that it changes.
  const added = key === undefined ? Object.fromEntries(missing.map((field) => [field, ''])) : {};
  return { line: problems[0]?.line ?? line, error, body: JSON.stringify({ ...added, ...getGiven() }) };
}
