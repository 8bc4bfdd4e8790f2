/** `--line` of stock documents: an item by id or SKU, its quantity and its cost. */
import { Flags } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { listItems } from '../../contract/resources/items.ts';
import type { DocumentType } from '../../contract/resources/stock-documents.ts';
import { toLosslessNumber, isJsonNumber } from './lossless-json.ts';
import { usageError } from '../errors/failure.ts';
import { isId } from '../output/fields.ts';

export const stockLineFlag = {
  line: Flags.string({
    helpValue: 'ITEM:QUANTITY[@COST]',
    multiple: true,
    multipleNonGreedy: true,
    description:
      'Document line: item id or SKU, quantity and, for incoming stock, the cost per unit. For counts the counted quantity; for productions negative for consumed items. Repeatable; --data sets all fields.',
  }),
};

export interface ParsedLine {
  readonly item: string;
  readonly quantity: string;
  readonly cost: string | undefined;
}

// A SKU may contain colons: the last one separates the quantity.
const LINE = /^(?<item>.+):(?<quantity>[^:@]+)(?:@(?<cost>[^:@]+))?$/u;

export function parseLine(text: string): ParsedLine {
  const { item, quantity, cost } = LINE.exec(text)?.groups ?? {};
  if (item === undefined || quantity === undefined || !isJsonNumber(quantity) || (cost !== undefined && !isJsonNumber(cost))) {
    throw usageError(
      `Invalid --line "${text}". Expected ITEM:QUANTITY or ITEM:QUANTITY@COST`,
      'Example: --line GRN-ETH:60@8.40, with an item id or SKU',
    );
  }
  return { item, quantity, cost };
}

/** Converts a parsed line to the body of the API, whose fields depend on the type of the document. */
export function toLineBody(type: unknown, itemId: string, { quantity, cost }: Omit<ParsedLine, 'item'>): Readonly<Record<string, unknown>> {
  return {
    itemId,
    ...toQuantityFields(type as DocumentType, quantity),
    ...(cost === undefined ? {} : { unitCost: toLosslessNumber(cost) }),
  };
}

function toQuantityFields(type: DocumentType, text: string): Readonly<Record<string, unknown>> {
  if (type === 'count') return { countedQuantity: toLosslessNumber(text) };
  if (type !== 'production') return { quantity: toLosslessNumber(text) };
  const isOut = text.startsWith('-');
  return { direction: isOut ? 'out' : 'in', quantity: toLosslessNumber(isOut ? text.slice(1) : text) };
}

/** Maps ids and SKUs to ids, with one request per SKU. */
export async function resolveItemIds(items: readonly string[], connect: () => Promise<Client>): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const item of new Set(items)) {
    if (isId(item)) {
      ids.set(item, item);
      continue;
    }
    const client = await connect();
    const { body } = await client.call(listItems, { query: { sku: item } });
    const [found] = body.data;
    if (found === undefined) throw usageError(`No item with SKU "${item}"`, 'Search with `stockroom items list --search`');
    ids.set(item, found.id);
  }
  return ids;
}
