/** Prints stock documents: lines or stock effects as a table below the document, and dry runs of actions. */
import type { Reply } from '../../client/client.ts';
import type { Operation } from '../../contract/operation.ts';
import { type StockDocument, getStockDocument } from '../../contract/resources/stock-documents.ts';
import { type StockEffectWithUnit, stockEffectWithUnit } from '../../contract/resources/stock-effects.ts';
import { type StockLine, stockLine } from '../../contract/resources/stock-lines.ts';
import { getValueAt, listFields } from '../output/fields.ts';
import { roundSum, subtract } from '../output/numbers.ts';
import type { Output } from '../command-output.ts';
import type { View } from '../output/printer.ts';
import { printNamed } from '../records/name-references.ts';
import { getView } from '../records/request.ts';
import type { ApiContext } from '../session/api-session.ts';

/** Columns of lines; most types of documents fill only some of them. */
export const LINE_COLUMNS = [
  'id',
  'lineNumber',
  'item.sku',
  'quantity',
  'unit.symbol',
  'countedQuantity',
  'expectedQuantity',
  'direction',
  'item.name',
  'unitCost',
  'postedQuantity',
  'onHandBefore',
  'onHandAfter',
  'postedUnitCost',
  'postedValue',
  'reversedValue',
  'postedVariance',
  'reversedVariance',
  'notes',
];

/** Columns of the lines within a document, where the line number identifies a line. */
const DOCUMENT_LINE_COLUMNS = [
  'lineNumber',
  'item.name',
  ...LINE_COLUMNS.filter((column) => !['id', 'lineNumber', 'item.name'].includes(column)),
  'id',
];

/** Columns shown after a write; `get` shows all. */
const SUMMARY_COLUMNS = [
  'id',
  'documentNumber',
  'type',
  'status',
  'site.name',
  'toSite.name',
  'contact.name',
  'order.orderNumber',
  'documentDate',
  'reference',
  'reason',
  'totalCost',
  'totalVariance',
  'cancelReason',
];

/** Rarely anything but 0. */
const VARIANCE_COLUMNS = ['postedVariance', 'reversedVariance', 'totalVariance'];
const isShown = (row: unknown, column: string): boolean => {
  const value = getValueAt(row, column) ?? null;
  return value !== null && !(value === 0 && VARIANCE_COLUMNS.includes(column));
};

/** Shown as tables below the document, and as `orderId`. */
const SHOWN_SEPARATELY = ['lines', 'stockEffects', 'order.id'];

const EFFECT_COLUMNS = [
  'item.name',
  'item.sku',
  'site.name',
  'onHandBefore',
  'quantityDelta',
  'onHandAfter',
  'itemId',
  'siteId',
  'unit.symbol',
  'postedValue',
];
export const EFFECTS: View = {
  fields: [...listFields(stockEffectWithUnit), 'onHandBefore', 'postedValue', 'item.name', 'item.sku', 'site.name'],
  columns: EFFECT_COLUMNS,
  hiddenIfEmpty: ['unit.symbol', 'postedValue'],
};

export const getDocument = ({ body }: Reply): StockDocument => (body as { data: StockDocument }).data;

/** Prints a document; in table format its stock effects, or else its lines, follow as a table. */
export async function printDocument(context: ApiContext, op: Operation, reply: Reply): Promise<void> {
  const { output } = context;
  const document = getDocument(reply);
  const { fields, columns } = getView(op);
  const own = columns.filter((column) => !SHOWN_SEPARATELY.includes(column));
  const asTable = output.isPlainTable;
  // Most fields are null until the document is approved.
  const shown = asTable ? (op === getStockDocument ? own : SUMMARY_COLUMNS).filter((column) => isShown(document, column)) : own;
  await printNamed(context, op, document, { fields, columns: shown }, reply.text);
  if (!asTable) return;
  const effects = toEffectRows(document);
  if (effects.length > 0) await printTableBelow(output, effects, EFFECTS);
  else if (document.lines !== undefined) await printLines(output, document.lines);
  noteOversold(output, effects);
}

/** Prints the stock effects of a dry run, or the lines if there are none. */
export async function printActionDryRun(output: Output, reply: Reply): Promise<void> {
  const document = getDocument(reply);
  const { documentNumber, status, lines = [] } = document;
  const effects = toEffectRows(document);
  await printDryRun(output, reply, { number: documentNumber, status, effects, view: EFFECTS });
  if (output.format !== 'table') return;
  if (effects.length === 0) await printLines(output, lines);
  noteOversold(output, effects);
}

/** Names levels of which more is committed than on hand, such as after a transfer of stock that orders wait for. */
function noteOversold(output: Output, effects: readonly EffectRow[]): void {
  const texts = effects
    .filter(({ quantityDelta, availableAfter }) => quantityDelta < 0 && availableAfter < 0)
    .map(({ item, sku, site, committedAfter, onHandAfter }) => {
      const where = site.name === null ? '' : ` at ${site.name}`;
      return `${sku ?? String(item.name)}${where}: ${String(committedAfter)} committed, ${String(onHandAfter)} on hand`;
    });
  if (texts.length > 0) output.printNote(`Oversold: ${texts.join('; ')}`);
}

interface DryRun {
  readonly number: string;
  readonly status: string;
  readonly effects: readonly object[];
  readonly view: View;
}

/** Prints what a dry run of the service says would be. */
export async function printDryRun(output: Output, reply: Reply, { number, status, effects, view }: DryRun): Promise<void> {
  const isTable = output.format === 'table';
  // Short enough for one line of a narrow terminal.
  const outcome = `${number} would be ${status}${effects.length > 0 ? '' : ', no stock moved'}; nothing was changed`;
  const mark = `${output.getPaint(isTable ? process.stdout : process.stderr)('bold', 'DRY RUN')}  ${outcome}`;
  if (isTable) await output.write(`${mark}\n`);
  else output.printNote(mark);
  if (output.format === 'json') await output.printText(reply.text, '');
  else if (!isTable) await output.printList({ data: effects }, view);
  else if (effects.length > 0) await printTableBelow(output, effects, view);
}

async function printLines(output: Output, lines: readonly StockLine[]): Promise<void> {
  if (lines.length === 0) return;
  const isVisible = (column: string) => !VARIANCE_COLUMNS.includes(column) || lines.some((line) => isShown(line, column));
  const columns = DOCUMENT_LINE_COLUMNS.filter(isVisible);
  await printTableBelow(output, lines, { fields: listFields(stockLine), columns, hiddenIfEmpty: DOCUMENT_LINE_COLUMNS });
}

async function printTableBelow(output: Output, rows: readonly unknown[], view: View): Promise<void> {
  await output.write('\n');
  await output.printList({ data: rows }, { ...view, namesCurrency: false });
}

type Named = { readonly name: string | null };
type EffectRow = StockEffectWithUnit & {
  readonly onHandBefore: number;
  /** The change of the stock value; null if the service does not say it. */
  readonly postedValue: number | null;
  readonly item: Named;
  readonly site: Named;
};

/** The stock effects of a document, with the names of items and sites and the values that its lines have. */
export function toEffectRows(document: StockDocument): readonly EffectRow[] {
  const items = new Map((document.lines ?? []).map(({ item }) => [item.id, item]));
  const sites = new Map([document.site, document.toSite].flatMap((site) => (site === null ? [] : [[site.id, site]])));
  return (document.stockEffects ?? []).map((effect) => ({
    ...effect,
    onHandBefore: subtract(effect.onHandAfter, effect.quantityDelta),
    postedValue: sumValues(document, effect),
    item: items.get(effect.itemId) ?? { name: null, sku: effect.sku },
    site: sites.get(effect.siteId) ?? { name: null },
  }));
}

/** The sum of what the lines changed in the value of a level, or of what their reversal changed. */
function sumValues({ lines = [], siteId, reversedAt }: StockDocument, effect: StockEffectWithUnit): number | null {
  const values = lines
    .flatMap((line) => [{ ...line, siteId }, ...(line.otherLevels ?? [])])
    .filter((level) => level.itemId === effect.itemId && level.siteId === effect.siteId)
    .map(({ postedValue, reversedValue }) => (reversedAt === null ? postedValue : reversedValue) ?? null);
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : roundSum(known.reduce((sum, value) => sum + value, 0));
}
