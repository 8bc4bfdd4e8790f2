/** Base of the commands for orders: prints the lines as a table below the order, and parses `--line`. */
import { Flags } from '@oclif/core';
import type { Reply } from '../../client/client.ts';
import type { Operation } from '../../contract/operation.ts';
import { orderLine } from '../../contract/resources/order-lines.ts';
import { ApiCommand } from './api-command.ts';
import { toLosslessNumber, isJsonNumber } from '../input/lossless-json.ts';
import { usageError } from '../errors/failure.ts';
import { listFields } from '../output/fields.ts';
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
      'Order line: item id, quantity and optionally a price instead of the price of the item. Repeatable; --data sets all fields.',
  }),
};

const LINE = /^(?<item>[\da-fA-F-]{36}):(?<quantity>[^@]+)(?:@(?<price>.+))?$/u;

/** Parses `--line` to the lines of a body; an empty object without the flag. */
export function parseLineFlags(flags: Readonly<Record<string, unknown>>): { lines?: readonly unknown[] } {
  const typed = flags['line'] as readonly string[] | undefined;
  if (typed === undefined) return {};
  return {
    lines: typed.map((text) => {
      const { item, quantity, price } = LINE.exec(text)?.groups ?? {};
      if (item === undefined || quantity === undefined || !isJsonNumber(quantity) || (price !== undefined && !isJsonNumber(price))) {
        throw usageError(
          `Invalid --line "${text}". Expected ITEM:QUANTITY or ITEM:QUANTITY@PRICE`,
          'Example: --line 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e:12@0.35',
        );
      }
      return { itemId: item, quantity: toLosslessNumber(quantity), ...(price === undefined ? {} : { unitPrice: toLosslessNumber(price) }) };
    }),
  };
}

export abstract class OrderCommand extends ApiCommand {
  /** Prints an order; in table format its lines follow as a table. */
  protected async printOrder(op: Operation, reply: Reply): Promise<void> {
    const { fields, columns } = getView(op);
    const body = reply.body as { data: { lines?: readonly unknown[] } };
    const asTable = this.format === 'table' && this.globals.columns === undefined;
    await this.printOne(body, { fields, columns: asTable ? columns.filter((column) => column !== 'lines') : columns }, reply.text);
    const { lines } = body.data;
    if (!asTable || lines === undefined || lines.length === 0) return;
    await this.out.write('\n');
    await this.printList({ data: lines }, { fields: listFields(orderLine), columns: LINE_COLUMNS });
  }

  protected async writeOrder(op: Operation, parsed: Parsed): Promise<void> {
    this.validateOutput(getView(op));
    const reply = await this.submit(op, parsed, parseLineFlags(parsed.flags));
    if (reply) await this.printOrder(op, reply);
  }
}
