/** Base of the commands for orders: prints the lines as a table below the order, and parses `--line`. */
import { Flags } from '@oclif/core';
import type { Reply } from '../../client/client.ts';
import type { Operation } from '../../contract/operation.ts';
import type { OrderDetail } from '../../contract/resources/orders.ts';
import { orderLine } from '../../contract/resources/order-lines.ts';
import { ApiCommand } from './api-command.ts';
import type { HintContext } from '../errors/hints.ts';
import { checkLinesGivenOnce, parseLine } from '../input/line-flag.ts';
import { toLosslessNumber } from '../input/lossless-json.ts';
import { getValueAt, listFields, toDisplayText, toPlainText } from '../output/fields.ts';
import { type Parsed, getView } from './service-command.ts';

export const LINE_COLUMNS = [
  'lineNumber',
  'itemSku',
  'description',
  'quantity',
  'unit.symbol',
  'unitPrice',
  'lineTotal',
  'fulfilledQuantity',
  'kind',
];

export const lineFlag = {
  line: Flags.string({
    helpValue: 'ITEM:QUANTITY[@PRICE]',
    multiple: true,
    multipleNonGreedy: true,
    description:
      'Order line: SKU, name or id of the item, quantity and optionally a price instead of the price of the item. Repeatable; --data sets all fields.',
  }),
};

/** Parses `--line` to the lines of a body; an empty object without the flag. */
export function parseLineFlags(flags: Readonly<Record<string, unknown>>): { lines?: readonly unknown[] } {
  const typed = flags['line'] as readonly string[] | undefined;
  if (typed === undefined) return {};
  return {
    lines: typed.map((text) => {
      const { item, quantity, amount } = parseLine(text, 'PRICE');
      return {
        itemId: item,
        quantity: toLosslessNumber(quantity),
        ...(amount === undefined ? {} : { unitPrice: toLosslessNumber(amount) }),
      };
    }),
  };
}

/** The fields of an order that have a value; contact and site are shown by name, the lines as a table of their own. */
const listTableColumns = (columns: readonly string[], order: OrderDetail): readonly string[] =>
  columns.filter(
    (column) => !['lines', 'cancelledDocuments', 'contactId', 'siteId'].includes(column) && toPlainText(getValueAt(order, column)) !== '',
  );

export abstract class OrderCommand extends ApiCommand {
  private changedOrder: string | undefined;

  protected override getHintContext(): HintContext {
    return { ...super.getHintContext(), order: this.changedOrder };
  }

  /** Prints an order; in table format its lines follow as a table. */
  protected async printOrder(op: Operation, reply: Reply): Promise<void> {
    const { fields, columns } = getView(op);
    const body = reply.body as { data: OrderDetail };
    const asTable = this.format === 'table' && this.globals.columns === undefined;
    await this.printOne(body, { fields, columns: asTable ? listTableColumns(columns, body.data) : columns }, reply.text);
    const { lines, orderNumber, status, total, currency } = body.data;
    if (!asTable || lines === undefined || lines.length === 0) return;
    await this.out.write('\n');
    await this.printList({ data: lines }, { fields: listFields(orderLine), columns: LINE_COLUMNS });
    // The order above may have left the screen.
    if (this.terminalWidth !== undefined)
      this.printNote(this.getPaint(process.stderr)('dim', `${orderNumber}: ${status}, ${toDisplayText(total)} ${currency}`));
  }

  protected async writeOrder(op: Operation, parsed: Parsed): Promise<void> {
    this.changedOrder = parsed.args['order_id'] as string | undefined;
    this.validateOutput(getView(op));
    const lines = parseLineFlags(parsed.flags);
    const reply = await this.submit(op, parsed, (body) => {
      if (lines.lines !== undefined) checkLinesGivenOnce(body);
      return Promise.resolve(lines);
    });
    if (!reply) return;
    await this.printOrder(op, reply);
    const { orderNumber, status, cancelledDocuments = [] } = (reply.body as { data: OrderDetail }).data;
    const numbers = cancelledDocuments.map(({ documentNumber }) => documentNumber).join(', ');
    if (numbers !== '') this.printNote(`${orderNumber} is ${status}, so its documents that were not posted are cancelled: ${numbers}`);
  }
}
