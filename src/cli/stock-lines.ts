/** `--line` of stock documents: an item by id or SKU, how much of it, and what it cost. */
import { Flags } from '@oclif/core';
import type { Client } from '../client/client.ts';
import { listItems } from '../contract/items.ts';
import type { DocumentType } from '../contract/stock-documents.ts';
import { exactNumber, isNumberText } from './exact-json.ts';
import { usage } from './failure.ts';
import { isId } from './fields.ts';

export const stockLineFlag = {
  line: Flags.string({
    helpValue: 'ITEM:QUANTITY[@COST]',
    multiple: true,
    multipleNonGreedy: true,
    description:
      'A line: item id or SKU (looked up), quantity and, of what comes in, the cost per unit. On a count the quantity is what is there; on a production what is used up is negative. Repeatable; more through --data.',
  }),
};

export interface TypedLine {
  readonly item: string;
  readonly quantity: string;
  readonly cost: string | undefined;
}

// An item's own colons stay with it: the last one separates.
const LINE = /^(?<item>.+):(?<quantity>[^:@]+)(?:@(?<cost>[^:@]+))?$/u;

export function typedLine(text: string): TypedLine {
  const { item, quantity, cost } = LINE.exec(text)?.groups ?? {};
  if (item === undefined || quantity === undefined || !isNumberText(quantity) || (cost !== undefined && !isNumberText(cost))) {
    throw usage(
      `--line "${text}" is not of the form ITEM:QUANTITY or ITEM:QUANTITY@COST`,
      'for example --line GRN-ETH:60@8.40, or with the id of the item in place of its SKU',
    );
  }
  return { item, quantity, cost };
}

/** A line as the API takes it, in the words of the document's type. */
export function lineBody(type: unknown, itemId: string, { quantity, cost }: Omit<TypedLine, 'item'>): Readonly<Record<string, unknown>> {
  return { itemId, ...quantityOf(type as DocumentType, quantity), ...(cost === undefined ? {} : { unitCost: exactNumber(cost) }) };
}

function quantityOf(type: DocumentType, text: string): Readonly<Record<string, unknown>> {
  if (type === 'count') return { countedQuantity: exactNumber(text) };
  if (type !== 'production') return { quantity: exactNumber(text) };
  const isOut = text.startsWith('-');
  return { direction: isOut ? 'out' : 'in', quantity: exactNumber(isOut ? text.slice(1) : text) };
}

/** The ids behind ids and SKUs; the service is asked once for each SKU. */
export async function itemIdsOf(items: readonly string[], connect: () => Promise<Client>): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const item of new Set(items)) {
    if (isId(item)) {
      ids.set(item, item);
      continue;
    }
    const client = await connect();
    const { body } = await client.call(listItems, { query: { sku: item } });
    const [found] = body.data;
    if (found === undefined) throw usage(`no item has the SKU "${item}"`, 'find it with `stockroom items list --search`');
    ids.set(item, found.id);
  }
  return ids;
}
