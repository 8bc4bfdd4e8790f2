/** Finds the order lines that the lines of a stock document fulfil, so that people name items instead of order lines. */
import type { Client } from '../../client/client.ts';
import { iteratePages } from '../../client/lists/pages.ts';
import { ORDER_LINES_MAX } from '../../contract/limits.ts';
import { type LineKind, type OrderLine, type OrderLinePart, listOrderLines } from '../../contract/resources/order-lines.ts';
import type { DocumentType } from '../../contract/resources/stock-documents.ts';
import type { Direction } from '../../contract/resources/stock-lines.ts';
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

/** `20 bag60 of GRN-COL` */
export const formatQuantity = ({ unit, itemSku, description }: OrderLine, quantity: number): string =>
  `${String(quantity)} ${unit ? `${unit.symbol} ` : ''}of ${itemSku ?? description}`;

export async function readOrderLines(client: Client, orderId: string): Promise<readonly OrderLine[]> {
  const lines: OrderLine[] = [];
  for await (const { data } of iteratePages(client, listOrderLines, { params: { order_id: orderId } }, ORDER_LINES_MAX))
    lines.push(...(data as OrderLine[]));
  return lines;
}

/** Lines for everything that is open. Throws when nothing is. */
export function draftOpenLines(type: DocumentType, lines: readonly OrderLine[], order: string): readonly LineDraft[] {
  const open = listNeeds(type, lines).filter(({ remaining }) => remaining > 0);
  if (open.length === 0) throw nothingLeft(type, order);
  return open.map(({ itemId, line, remaining, direction }) => ({
    itemId,
    orderLineId: line.id,
    quantity: remaining,
    ...(direction === null ? {} : { direction }),
  }));
}

/** Adds the order line to each draft: the open one that needs its item. `itemNames`: the items of the drafts as typed. Throws when there is none, or more than one. */
export function linkToOrderLines(
  type: DocumentType,
  drafts: readonly LineDraft[],
  lines: readonly OrderLine[],
  order: string,
  itemNames: readonly string[],
): readonly LineDraft[] {
  const needs = listNeeds(type, lines);
  return drafts.map((draft, at) => {
    const ofItem = needs.filter(({ itemId, direction }) => itemId === draft.itemId && direction === (draft.direction ?? null));
    const open = ofItem.filter(({ remaining }) => remaining > 0);
    const [found, ...others] = open.length > 0 ? open : ofItem;
    if (found === undefined) throw createNoLineError(type, draft, lines, order, itemNames[at] ?? '');
    const { name, line } = found;
    if (open.length === 0) throw nothingLeft(type, order, name);
    if (others.length > 0) {
      const numbers = open.map(({ line: { lineNumber } }) => String(lineNumber)).join(' and ');
      throw usageError(
        `Order ${order} has ${name} in lines ${numbers}`,
        'Name the line in --data: {"lines": [{"orderLineId": "1", "quantity": 5}]}',
      );
    }
    return { ...draft, orderLineId: line.id };
  });
}

function createNoLineError(
  type: DocumentType,
  { itemId }: LineDraft,
  lines: readonly OrderLine[],
  order: string,
  itemName: string,
): Failure {
  const combo = lines.find((line) => line.itemId === itemId && line.parts !== undefined);
  if (combo?.parts) {
    const parts = combo.parts.map(({ item }) => item.sku ?? item.name).join(', ');
    return usageError(
      `${itemName} is a combo, which is shipped as its parts: ${parts}`,
      'Give a --line for each part, or none for all that is open',
    );
  }
  return usageError(`Order ${order} has no line of ${itemName} that a document of type ${type} fulfils`, showLines(order));
}

/** The order line with a number or an id. */
export function findOrderLine(lines: readonly OrderLine[], reference: string): OrderLine {
  const found = lines.find(({ id, lineNumber }) => id === reference || String(lineNumber) === reference.trim());
  if (found) return found;
  const numbers = lines.map(({ lineNumber, itemSku, description }) => `${String(lineNumber)} (${itemSku ?? description})`).join(', ');
  throw new Failure('NOT_FOUND', `The order has no line ${reference}`, { hint: `Its lines are ${numbers}` });
}

/** Adds to each draft of a return the order line whose goods it returns. Throws when there is none, or more than one. */
export function linkToReturnedLines(
  drafts: readonly LineDraft[],
  lines: readonly OrderLine[],
  order: string,
  itemNames: readonly string[],
): readonly LineDraft[] {
  return drafts.map((draft, at) => {
    const name = itemNames[at] ?? '';
    const sold = lines.filter(({ itemId, parts }) =>
      parts ? parts.some((part) => part.itemId === draft.itemId) : itemId === draft.itemId,
    );
    const returnable = sold.filter((line) => getReturnable(line, draft.itemId) > 0);
    const [found, ...others] = returnable;
    if (sold.length === 0) throw usageError(`Order ${order} has no line of ${name}`, showLines(order));
    if (found === undefined) throw nothingLeft('return', order, name);
    if (others.length > 0) {
      const numbers = returnable.map(({ lineNumber }) => String(lineNumber)).join(' and ');
      throw usageError(
        `Order ${order} has ${name} in lines ${numbers}`,
        'Name the line in --data: {"lines": [{"itemId": "…", "orderLineId": "…", "quantity": 1}]}',
      );
    }
    return { ...draft, orderLineId: found.id };
  });
}

function getReturnable({ parts, fulfilledQuantity, returnedQuantity = 0 }: OrderLine, itemId: unknown): number {
  const part = parts?.find((each) => each.itemId === itemId);
  return part ? part.postedQuantity - part.returnedQuantity : fulfilledQuantity - returnedQuantity;
}

/** An item that a line needs: its own, or one part of a combo. */
interface Need {
  readonly line: OrderLine;
  readonly itemId: string;
  readonly name: string;
  readonly remaining: number;
  readonly direction: Direction | null;
}

/** The items that documents of a type can fulfil. */
const listNeeds = (type: DocumentType, lines: readonly OrderLine[]): readonly Need[] =>
  lines.flatMap((line) => {
    const direction = FULFILLED_KINDS[type]?.[line.kind];
    const { itemId, parts, itemSku, description, remainingQuantity } = line;
    if (itemId === null || direction === undefined) return [];
    if (parts === undefined) return [{ line, itemId, name: itemSku ?? description, remaining: remainingQuantity, direction }];
    return parts.map(({ item, remainingQuantity: remaining }) => ({
      line,
      itemId: item.id,
      name: item.sku ?? item.name,
      remaining,
      direction,
    }));
  });

/** The part of a combo line that `item` names, or its only part; undefined for a line without parts. Throws a usage error otherwise. */
export function findPart({ parts, lineNumber, description }: OrderLine, item: unknown): OrderLinePart | undefined {
  if (parts === undefined) return undefined;
  const isNamed = ({ item: { id, sku, name } }: OrderLinePart): boolean =>
    [id, sku, name].some((text) => text !== null && text.toLowerCase() === String(item).toLowerCase());
  const [found, ...others] = item === undefined ? parts : parts.filter(isNamed);
  if (found !== undefined && others.length === 0) return found;
  const names = parts.map((part) => part.item.sku ?? part.item.name).join(', ');
  throw usageError(`Line ${String(lineNumber)} needs the parts of ${description}: ${names}`, 'Name one of them with --item-id');
}

const VERBS: Readonly<Record<string, string>> = { receipt: 'receive', issue: 'ship', production: 'produce' };

/** The order has no such need any more: a conflict with its state. */
const nothingLeft = (action: string, order: string, name?: string): Failure =>
  new Failure('INVALID_STATE', `Order ${order} has nothing left to ${VERBS[action] ?? action}${name === undefined ? '' : ` of ${name}`}`, {
    hint: showLines(order),
  });

const showLines = (order: string): string => `Show the lines of the order with \`stockroom orders lines ${order}\``;
