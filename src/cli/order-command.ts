/** Orders on the screen: the head as a record, the lines as a table below it; and `--line` for typing them. */
import { Flags } from '@oclif/core';
import type { Reply } from '../client/client.ts';
import type { Operation } from '../contract/operation.ts';
import { orderLine } from '../contract/order-lines.ts';
import { ApiCommand } from './api-command.ts';
import { exactNumber, isNumberText } from './exact-json.ts';
import { usage } from './failure.ts';
import { fieldsOf } from './fields.ts';
import { type Parsed, viewOf } from './service-command.ts';

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
    description: 'A line: item id, quantity and, if it differs from the item’s, the price. Repeatable; more through --data.',
  }),
};

const LINE = /^(?<item>[\da-fA-F-]{36}):(?<quantity>[^@]+)(?:@(?<price>.+))?$/u;

/** The lines of `--line`, or nothing when there are none. */
export function linesOf(flags: Readonly<Record<string, unknown>>): { lines?: readonly unknown[] } {
  const typed = flags['line'] as readonly string[] | undefined;
  if (typed === undefined) return {};
  return {
    lines: typed.map((text) => {
      const { item, quantity, price } = LINE.exec(text)?.groups ?? {};
      if (item === undefined || quantity === undefined || !isNumberText(quantity) || (price !== undefined && !isNumberText(price))) {
        throw usage(
          `--line "${text}" is not of the form ITEM:QUANTITY or ITEM:QUANTITY@PRICE`,
          'for example --line 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e:12@0.35',
        );
      }
      return { itemId: item, quantity: exactNumber(quantity), ...(price === undefined ? {} : { unitPrice: exactNumber(price) }) };
    }),
  };
}

export abstract class OrderCommand extends ApiCommand {
  /** Prints an order; on a terminal its lines follow as a table. */
  protected async printOrder(op: Operation, reply: Reply): Promise<void> {
    const { fields, columns } = viewOf(op);
    const body = reply.body as { data: { lines?: readonly unknown[] } };
    const asTable = this.format === 'table' && this.globals.columns === undefined;
    await this.printOne(body, { fields, columns: asTable ? columns.filter((column) => column !== 'lines') : columns }, reply.text);
    const { lines } = body.data;
    if (!asTable || lines === undefined || lines.length === 0) return;
    await this.out.write('\n');
    await this.printList({ data: lines }, { fields: fieldsOf(orderLine), columns: LINE_COLUMNS });
  }

  protected async writeOrder(op: Operation, parsed: Parsed): Promise<void> {
    this.checked(viewOf(op));
    const reply = await this.submit(op, parsed, linesOf(parsed.flags));
    if (reply) await this.printOrder(op, reply);
  }
}
