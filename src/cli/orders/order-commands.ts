/** Commands for orders: print the lines as a table below the order, and parse `--line`. */
import { type Command, Flags } from '@oclif/core';
import type { Reply } from '../../client/client.ts';
import type { Operation } from '../../contract/operation.ts';
import { type Order, type OrderDetail, type OrderModule, type OrderStatus, updateOrder } from '../../contract/resources/orders.ts';
import { type OrderLine, orderLine } from '../../contract/resources/order-lines.ts';
import { operationCommand } from '../command/operation-command.ts';
import { withExplanation } from '../errors/explained-error.ts';
import { getOrderHint } from '../errors/hints.ts';
import { LINE_FORMS, parseLine, readLineFlag } from '../input/line-flag.ts';
import { formatQuantity, readOrderLines } from '../input/order-lines.ts';
import { getValueAt, listFields, toPlainText } from '../output/fields.ts';
import { MONEY_FIELDS, formatAmount } from '../output/money.ts';
import { subtract } from '../output/numbers.ts';
import type { Output } from '../command-output.ts';
import type { View } from '../output/printer.ts';
import { readRequestBody } from '../input/request-body.ts';
import { printNamed } from '../records/name-references.ts';
import { getView, sendRequest, toRequestParts, toWriteParts } from '../records/request.ts';
import { submitRecord } from '../records/write-record.ts';
import type { ApiContext } from '../session/api-session.ts';
import { printDryRun } from '../stock/document-output.ts';
import { noteOversoldItems } from './oversold-items.ts';

export const LINE_COLUMNS = [
  'lineNumber',
  'itemSku',
  'description',
  'quantity',
  'unit.symbol',
  'unitPrice',
  'lineTotal',
  'lineTax',
  'discountPercent',
  'fulfilledQuantity',
  'kind',
];

/** In tables: with what is open before what it costs. */
const TABLE_LINE_COLUMNS = LINE_COLUMNS.filter((column) => column !== 'fulfilledQuantity').toSpliced(5, 0, 'fulfilledQuantity');

/** Modules whose orders have money only if someone entered it. */
const WITHOUT_MONEY: readonly OrderModule[] = ['make', 'check'];
export const hasMoney = ({ module, total }: Pick<Order, 'module' | 'total'>): boolean => total !== 0 || !WITHOUT_MONEY.includes(module);
const isMoney = (column: string): boolean => column === 'currency' || MONEY_FIELDS.includes(column);

/** The fields of an order that have a value; contact and site are shown by name, the lines as a table of their own. */
const listTableColumns = (columns: readonly string[], order: OrderDetail): readonly string[] =>
  ['orderNumber', 'module', 'status', 'contact.name', 'contact.company', ...columns]
    .filter((column, at, all) => all.indexOf(column) === at)
    .filter(
      (column) =>
        !['lines', 'cancelledDocuments', 'contactId', 'siteId', 'currency'].includes(column) &&
        toPlainText(getValueAt(order, column)) !== '' &&
        (hasMoney(order) || !isMoney(column)) &&
        !UNUSUAL.some(([field, usual]) => column === field && order[field] === usual),
    );

/** Fields that are shown only if they differ. */
const UNUSUAL = [
  ['closedShort', false],
  ['discountTotal', 0],
] as const;

/** Prints an order; in table format its lines follow as a table. */
export async function printOrder(context: ApiContext, op: Operation, reply: Reply): Promise<void> {
  const { output } = context;
  const { fields, columns } = getView(op);
  const body = reply.body as { data: OrderDetail };
  const asTable = output.isPlainTable;
  await printNamed(context, op, body.data, { fields, columns: asTable ? listTableColumns(columns, body.data) : columns }, reply.text);
  const { lines, orderNumber, status, total, currency } = body.data;
  if (!asTable || lines === undefined || lines.length === 0) return;
  const withMoney = hasMoney(body.data);
  const isShown = (column: string) =>
    column === 'discountPercent' || column === 'fulfilledQuantity'
      ? lines.some((line) => line[column] !== 0)
      : withMoney || !isMoney(column);
  await output.write('\n');
  const lineView = { fields: listFields(orderLine), columns: TABLE_LINE_COLUMNS.filter(isShown), currency, namesCurrency: false };
  await output.printList({ data: lines }, lineView);
  // The order above may have left the screen.
  if (output.terminalWidth === undefined) return;
  output.printDimNote(`${orderNumber}: ${status}${withMoney ? `, ${formatAmount(total, currency)}` : ''}`);
}

export async function writeOrder(context: ApiContext, op: Operation): Promise<void> {
  const { args, flags, output } = context;
  output.validateView(getView(op));
  const complete = op === updateOrder ? { ...context, flags: { ...flags, ...(await keepOtherLines(context)) } } : context;
  const submitted = submitRecord(complete, op, (body) => Promise.resolve(readLineFlag(flags, body, 'order')));
  const order = args['order_id'];
  const reply = await withExplanation(submitted, (error) => (typeof order === 'string' ? { hint: getOrderHint(error, order) } : undefined));
  if (!reply) return;
  await printOrder(context, op, reply);
  const saved = (reply.body as { data: OrderDetail }).data;
  const { orderNumber, status, lines = [], cancelledDocuments = [] } = saved;
  noteOtherUnits(output, lines, (flags['line'] as readonly string[] | undefined) ?? []);
  const numbers = cancelledDocuments.map(({ documentNumber }) => documentNumber).join(', ');
  if (numbers !== '') output.printNote(`${orderNumber} is ${status}, so its documents that were not posted are cancelled: ${numbers}`);
  // For people only: it takes another request.
  if (output.terminalWidth !== undefined && output.isPlainTable) await noteOversoldItems(context, saved);
}

/** With `--set lines.0.quantity=5`, the lines of the order: the request would remove those that it does not list. */
async function keepOtherLines(context: ApiContext): Promise<{ readonly data?: string }> {
  const { flags, session } = context;
  const set = (flags['set'] as readonly string[] | undefined) ?? [];
  const isComplete = flags['data'] !== undefined || flags['line'] !== undefined || set.some((each) => /^lines\.\d+\.id=/u.test(each));
  if (isComplete || !set.some((each) => /^lines\.\d+\./u.test(each))) return {};
  const { params } = await toRequestParts(context, updateOrder);
  const lines = await readOrderLines(await session.connect(), String(params?.['order_id']));
  return { data: JSON.stringify({ lines: lines.map(({ id }) => ({ id })) }) };
}

/** Names the quantities of `--line` that are not in the unit of the stock, although none was chosen. */
function noteOtherUnits(output: Output, lines: readonly OrderLine[], typed: readonly string[]): void {
  const others = lines.filter(({ quantity, stockQuantity }, at) => {
    const text = typed[at];
    return text !== undefined && quantity !== stockQuantity && parseLine(text, LINE_FORMS.order).unit === undefined;
  });
  const texts = others.map((line) => `${formatQuantity(line, line.quantity)}, ${String(line.stockQuantity)} in stock units`);
  if (texts.length > 0) output.printNote(`Ordered ${texts.join('; ')}. To choose the unit: --line ITEM:QUANTITY[UNIT]`);
}

interface StatusCommand {
  readonly status: OrderStatus;
  readonly summary: string;
  readonly examples: readonly string[];
  /** Fields of the order that have a flag. */
  readonly fields: readonly string[];
}

/** A command that sets the status of an order: `orders complete SO-000012`. */
export const orderStatusCommand = ({ status, fields, ...texts }: StatusCommand): typeof Command =>
  operationCommand(updateOrder, {
    ...texts,
    flags: { 'dry-run': Flags.boolean({ description: 'Show the effect on stock, and change nothing.' }) },
    description: 'The same as `stockroom orders update` with this status.',
    without: Object.keys(updateOrder.body.properties).filter((name) => !fields.includes(name)),
    // The service performs the dry run, because it depends on the stock.
    run: (context) =>
      context.flags['dry-run']
        ? previewStatus(context, status)
        : writeOrder({ ...context, flags: { ...context.flags, status } }, updateOrder),
  });

/** Columns of the effects of an order: it also commits stock, or ends that. */
const EFFECT_COLUMNS = [
  'item.name',
  'item.sku',
  'onHandBefore',
  'quantityDelta',
  'onHandAfter',
  'committedAfter',
  'availableAfter',
  'itemId',
  'unit.symbol',
];
const EFFECTS: View = { fields: [...EFFECT_COLUMNS, 'siteId'], columns: EFFECT_COLUMNS, hiddenIfEmpty: ['unit.symbol'] };

/** Shows what a status would do to the stock, without changing anything. */
async function previewStatus(context: ApiContext, status: OrderStatus): Promise<void> {
  const { output, flags } = context;
  output.validateView(EFFECTS);
  const parts = await toWriteParts(context, updateOrder, { ...(await readRequestBody(updateOrder, flags)), status });
  const sent = sendRequest(context, updateOrder, { ...parts, query: { ...parts.query, dry_run: true } });
  const order = String(context.args['order_id']);
  const reply = await withExplanation(sent, (error) => ({ hint: getOrderHint(error, order) }));
  const { data } = reply.body;
  const names = new Map((data.lines ?? []).map(({ itemId, description }) => [itemId, description]));
  const effects = (data.stockEffects ?? []).map((effect) => ({
    ...effect,
    onHandBefore: subtract(effect.onHandAfter, effect.quantityDelta),
    item: { name: names.get(effect.itemId) ?? null, sku: effect.sku },
  }));
  await printDryRun(output, reply, { number: data.orderNumber, status: data.status, effects, view: EFFECTS });
}
