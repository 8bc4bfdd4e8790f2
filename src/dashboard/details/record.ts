/** A record of the public API as fields and tables. */
import { getValueAt, toDisplayText, toPlainText } from '../../cli/output/fields.ts';
import { MONEY_FIELDS, formatAmount } from '../../cli/output/money.ts';
import type { DetailContent, RecordOverlay } from '../state/model.ts';
import type { RenderContext } from '../tables/table.ts';
import { EMPTY_LINE, type Part } from './parts.ts';
import { describeHistory } from './record-history.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The columns of lines of orders and stock documents. Those without a value in any line are omitted. */
const LINE_COLUMNS = [
  'lineNumber',
  'item.sku',
  'description',
  'item.name',
  'quantity',
  'countedQuantity',
  'unit.symbol',
  'unitPrice',
  'lineTotal',
  'unitCost',
  'fulfilledQuantity',
  'postedQuantity',
];

/** A record that was looked up by its name. */
export function listFoundParts({ content }: RecordOverlay, context: RenderContext): readonly Part[] {
  if (content.state !== 'ready') return listContentParts(content, context);
  const { path, value } = content.value;
  return [...listContentParts({ state: 'ready', value }, context), ['path', path]];
}

/** Null values and ids of records that are shown by name are omitted, unless records are shown as JSON. */
export function listContentParts(content: DetailContent, context: RenderContext): readonly Part[] {
  if (content.state === 'loading') return [{ text: 'Loading…', tone: 'dim' }];
  if (content.state === 'failed') return [{ text: content.reason, tone: 'bad' }];
  const { value } = content;
  if (context.showsRecordsAsJson || !isRecord(value)) return [{ json: JSON.stringify(value) }];
  return listFieldParts({ ...value, ...describeHistory(value, context) }, context);
}

/** Identify the record, but say little about it: last. */
const LAST_FIELDS: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'id']);

function listFieldParts(record: Fields, context: RenderContext): readonly Part[] {
  const fields = Object.entries(record).filter(
    ([name, value]) => toPlainText(value) !== '' && !isNamedElsewhere(name, record) && !isUsual(name, value, record),
  );
  const tables = fields.filter((field): field is [string, unknown[]] => isTable(field[1]));
  const others = fields.filter(([, value]) => !isTable(value));
  const toParts = (isLast: boolean): readonly Part[] =>
    others
      .filter(([name]) => LAST_FIELDS.has(name) === isLast)
      .map(([name, value]) => [toLabel(name), toFieldText(name, value, record, context)]);
  return [
    ...toParts(false),
    ...tables.flatMap(([name, rows]): Part[] => [
      { head: `${toLabel(name)} (${String(rows.length)})` },
      { records: rows, paths: listColumns(rows) },
    ]),
    ...(tables.length === 0 ? [] : [EMPTY_LINE]),
    ...toParts(true),
  ];
}

/** What says nothing: amounts of 0 and equal ones, the currency, which amounts have, and the number of lines that follow. */
function isUsual(name: string, value: unknown, { total, currency, lines }: Fields): boolean {
  switch (name) {
    case 'discountTotal':
    case 'taxTotal':
      return value === 0;
    case 'subtotal':
      return value === total;
    case 'closedShort':
      return value === false;
    case 'lineCount':
      return lines !== undefined;
    default:
      return name === 'currency' && total !== undefined && currency === value;
  }
}

function toFieldText(name: string, value: unknown, record: Fields, context: RenderContext): string {
  const unit = record['currency'] ?? context.currency;
  return MONEY_FIELDS.includes(name) && typeof value === 'number' && typeof unit === 'string' ? formatAmount(value, unit) : toText(value);
}

const isTable = (value: unknown): value is unknown[] => Array.isArray(value) && value.some(isRecord);

function listColumns(rows: readonly unknown[]): readonly string[] {
  const hasValue = (path: string): boolean => rows.some((row) => toPlainText(getValueAt(row, path)) !== '');
  const known = LINE_COLUMNS.filter(hasValue);
  // The description of a line is the name of its item, unless someone changed it.
  if (known.includes('lineNumber')) return known.filter((path) => path !== 'item.name' || !known.includes('description'));
  const first = rows.find(isRecord) ?? {};
  return Object.keys(first).filter((name) => hasValue(name) && !isNamedElsewhere(name, first));
}

/** `contactId` next to the object `contact`, which has a name. */
const isNamedElsewhere = (name: string, record: Fields): boolean => /.Id$/u.test(name) && isRecord(record[name.slice(0, -'Id'.length)]);

const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object without a name as its values. */
function toText(value: unknown): string {
  if (!isRecord(value) || 'name' in value || 'orderNumber' in value) return toDisplayText(value);
  return Object.values(value).map(toText).join(' ');
}

/** `orderNumber` → `order number`. */
const toLabel = (name: string): string =>
  name
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
