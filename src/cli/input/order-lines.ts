/** Finds the order lines that the lines of a stock document fulfil, so that people name items instead of order lines. */
import type { Client } from '../../client/client.ts';
import { iteratePages } from '../../client/pages.ts';
import { ORDER_LINES_MAX } from '../../contract/limits.ts';
import { type LineKind, type OrderLine, listOrderLines } from '../../contract/resources/order-lines.ts';
import type { DocumentType } from '../../contract/resources/stock-documents.ts';
import type { Direction } from '../../contract/resources/stock-lines.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { Failure, usageError } from '../errors/failure.ts';

/** A line of the body of a stock document. */
export interface LineDraft {
  readonly itemId?: unknown;
  readonly direction?: unknown;
  readonly [field: string]: unknown;
}

/** The kinds of order lines that a type of document fulfils, with the direction of the document's line. */
const FULFILLED_KINDS: Readonly<Partial<Record<DocumentType, Readonly<Partial<Record<LineKind, Direction | null>>>>>> = {
  receipt: { item: null },
  issue: { item: null, part: null },
  production: { output: 'in', component: 'out' },
};

/** Whether documents of a type fulfil orders. */
export const fulfilsOrders = (type: unknown): type is DocumentType => Object.hasOwn(FULFILLED_KINDS, String(type));

export async function readOrderLines(client: Client, orderId: string): Promise<readonly OrderLine[]> {
  const lines: OrderLine[] = [];
  for await (const { data } of iteratePages(client, listOrderLines, { params: { order_id: orderId } }, ORDER_LINES_MAX))
    lines.push(...(data as OrderLine[]));
  return lines;
}

/** Lines for everything that is open. Throws a usage error when nothing is. */
export function draftOpenLines(type: DocumentType, lines: readonly OrderLine[], order: string): readonly LineDraft[] {
  const open = listFulfilled(type, lines).filter((line) => line.remainingQuantity > 0);
  if (open.length === 0) throw usageError(`Order ${order} has nothing to fulfil with a document of type ${type}`, showLines(order));
  return open.map((line) => ({
    itemId: line.itemId,
    orderLineId: line.id,
    quantity: line.remainingQuantity,
    ...withDirection(type, line),
  }));
}

/** Adds the order line to each draft: the open one of its item. `itemNames`: the items of the drafts as typed. Throws a usage error when there is none, or more than one. */
export function linkToOrderLines(
  type: DocumentType,
  drafts: readonly LineDraft[],
  lines: readonly OrderLine[],
  order: string,
  itemNames: readonly string[],
): readonly LineDraft[] {
  return drafts.map((draft, at) => {
    const ofItem = listFulfilled(type, lines).filter(
      (line) => line.itemId === draft.itemId && (draft.direction ?? null) === (FULFILLED_KINDS[type]?.[line.kind] ?? null),
    );
    const open = ofItem.filter((line) => line.remainingQuantity > 0);
    const [found, ...others] = open.length > 0 ? open : ofItem;
    if (found === undefined)
      throw usageError(`Order ${order} has no line of ${itemNames[at] ?? ''} that a document of type ${type} fulfils`, showLines(order));
    const sku = found.itemSku ?? found.description;
    if (open.length === 0)
      throw usageError(`Order ${order} needs no more of ${sku}: line ${String(found.lineNumber)} is fulfilled`, showLines(order));
    if (others.length > 0) {
      const numbers = open.map(({ lineNumber }) => String(lineNumber)).join(' and ');
      throw usageError(
        `Order ${order} has ${sku} in lines ${numbers}`,
        'Name the line in --data: {"lines": [{"orderLineId": "1", "quantity": 5}]}',
      );
    }
    return { ...draft, orderLineId: found.id };
  });
}

/** The order line with a number or an id. */
export function findOrderLine(lines: readonly OrderLine[], reference: string): OrderLine {
  const found = lines.find(({ id, lineNumber }) => id === reference || String(lineNumber) === reference.trim());
  if (found) return found;
  const numbers = lines.map(({ lineNumber, itemSku, description }) => `${String(lineNumber)} (${itemSku ?? description})`).join(', ');
  throw new Failure('NOT_FOUND', `The order has no line ${reference}`, { exit: EXIT.notFound, hint: `Its lines are ${numbers}` });
}

const listFulfilled = (type: DocumentType, lines: readonly OrderLine[]): readonly OrderLine[] =>
  lines.filter(({ kind, itemId }) => itemId !== null && FULFILLED_KINDS[type]?.[kind] !== undefined);

function withDirection(type: DocumentType, { kind }: OrderLine): { direction?: Direction } {
  const direction = FULFILLED_KINDS[type]?.[kind];
  return direction === null || direction === undefined ? {} : { direction };
}

const showLines = (order: string): string => `Show the lines of the order with \`stockroom orders lines ${order}\``;
