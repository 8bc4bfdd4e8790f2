/** Finds the order lines that the lines of a stock document fulfil, so that people name items instead of order lines. */
import type { Client } from '../../client/client.ts';
import { NUMBER_DECIMALS } from '../../contract/limits.ts';
import { readAllRows } from '../../client/lists/pages.ts';
import { type LineKind, type OrderLine, type OrderLinePart, listOrderLines } from '../../contract/resources/order-lines.ts';
import type { DocumentType } from '../../contract/resources/stock-documents.ts';
import type { Direction } from '../../contract/resources/stock-lines.ts';
import { Failure, usageError } from '../errors/failure.ts';
import { toNumber } from '../lossless-json.ts';
import { roundSum } from '../output/numbers.ts';

/** A line of the body of a stock document. */
export interface LineDraft {
  readonly itemId?: unknown;
  readonly direction?: unknown;
  readonly [field: string]: unknown;
}

/** What lines of documents do with order lines: they fulfil them by the type of the document, or return their goods. */
export type Posting = DocumentType | 'return';

/** The kinds of order lines, with the direction of the document's line. */
const POSTED_KINDS: Readonly<Partial<Record<Posting, Readonly<Partial<Record<LineKind, Direction | null>>>>>> = {
  return: { item: null },
  receipt: { item: null },
  issue: { item: null, part: null },
  production: { output: 'in', component: 'out' },
};

/** Whether documents of a type fulfil orders. */
export const fulfilsOrders = (type: unknown): type is DocumentType => Object.hasOwn(POSTED_KINDS, String(type));

/** `20 bag60 of GRN-COL` */
export const formatQuantity = ({ unit, itemSku, description }: OrderLine, quantity: number): string =>
  `${String(quantity)} ${unit ? `${unit.symbol} ` : ''}of ${itemSku ?? description}`;

export const readOrderLines = (client: Client, orderId: string): Promise<readonly OrderLine[]> =>
  readAllRows<OrderLine>(client, listOrderLines, { params: { order_id: orderId } });

/** Lines for everything that is open. Throws when nothing is. */
export function draftOpenLines(posting: Posting, lines: readonly OrderLine[], order: string): readonly LineDraft[] {
  const open = listNeeds(posting, lines).filter(({ remaining }) => remaining > 0);
  if (open.length === 0) throw nothingLeft(posting, order);
  return open.map(({ itemId, line, remaining, direction }) => ({
    itemId,
    orderLineId: line.id,
    quantity: remaining,
    ...(direction === null ? {} : { direction }),
  }));
}

/** Adds the order line to each draft: the open one that needs its item. `itemNames`: the items of the drafts as typed. Throws when there is none, or more than one. */
export function linkToOrderLines(
  posting: Posting,
  drafts: readonly LineDraft[],
  lines: readonly OrderLine[],
  order: string,
  itemNames: readonly string[],
): readonly LineDraft[] {
  const needs = listNeeds(posting, lines);
  return drafts.map((draft, at) => {
    const ofItem = needs.filter(({ itemId, direction }) => itemId === draft.itemId && direction === (draft.direction ?? null));
    const [found, ...others] = ofItem.filter(({ remaining }) => remaining > 0);
    if (ofItem[0] === undefined) throw createNoLineError(posting, draft, lines, order, itemNames[at] ?? '');
    const { name } = ofItem[0];
    if (found === undefined) throw nothingLeft(posting, order, name);
    if (others.length > 0) {
      const numbers = [found, ...others].map(({ line }) => String(line.lineNumber)).join(' and ');
      const reference = posting === 'return' ? '"itemId": "…", "orderLineId": "…"' : '"orderLineId": "1"';
      throw usageError(
        `Order ${order} has ${name} in lines ${numbers}`,
        `Name the line in --data: {"lines": [{${reference}, "quantity": 5}]}`,
      );
    }
    return { ...draft, orderLineId: found.line.id };
  });
}

/**
 * Adds the ingredients of a production whose lines name outputs only: each in proportion to what has been made then, less what was posted,
 * rounded up to the decimal places of its unit. `precisions`: by the id of the unit.
 */
export function addIngredients(
  drafts: readonly LineDraft[],
  lines: readonly OrderLine[],
  precisions: ReadonlyMap<string, number>,
): readonly LineDraft[] {
  if (drafts.some(({ direction }) => direction === 'out')) return drafts;
  const outputs = lines.filter(({ kind }) => kind === 'output');
  const other = drafts.find(
    ({ unitId, orderLineId }) => unitId !== undefined && outputs.find(({ id }) => id === orderLineId)?.unitId !== unitId,
  );
  if (other !== undefined)
    throw usageError(
      'The ingredients of a quantity in another unit than that of the order are unknown',
      'Name the ingredients, too: ITEM:-QUANTITY',
    );
  const planned = sum(outputs.map(({ quantity }) => quantity));
  const made = sum([...outputs.map(({ fulfilledQuantity }) => fulfilledQuantity), ...drafts.map(({ quantity }) => toNumber(quantity))]);
  const share = made / planned;
  const needs = lines.flatMap(({ id, kind, itemId, unitId, quantity, fulfilledQuantity, remainingQuantity }) => {
    const step = 10 ** -(precisions.get(unitId ?? '') ?? NUMBER_DECIMALS);
    const inSteps = Math.ceil(roundSum((quantity * share - fulfilledQuantity) / step));
    const needed = Math.min(roundSum(inSteps * step), remainingQuantity);
    return kind === 'component' && needed > 0 ? [{ itemId, orderLineId: id, direction: 'out', quantity: needed }] : [];
  });
  return [...drafts, ...needs];
}

const sum = (numbers: readonly number[]): number => roundSum(numbers.reduce((total, each) => total + each, 0));

function createNoLineError(posting: Posting, { itemId }: LineDraft, lines: readonly OrderLine[], order: string, itemName: string): Failure {
  const combo = lines.find((line) => line.itemId === itemId && line.parts !== undefined);
  if (combo?.parts) {
    const parts = combo.parts.map(({ item }) => item.sku ?? item.name).join(', ');
    return usageError(
      `${itemName} is a combo, which is shipped as its parts: ${parts}`,
      'Give a --line for each part, or none for all that is open',
    );
  }
  const fulfilled = posting === 'return' ? '' : ` that a document of type ${posting} fulfils`;
  return usageError(`Order ${order} has no line of ${itemName}${fulfilled}`, showLines(order));
}

/** The order line with a number or an id. */
export function findOrderLine(lines: readonly OrderLine[], reference: string): OrderLine {
  const found = lines.find(({ id, lineNumber }) => id === reference || String(lineNumber) === reference.trim());
  if (found) return found;
  const numbers = lines.map(({ lineNumber, itemSku, description }) => `${String(lineNumber)} (${itemSku ?? description})`).join(', ');
  throw new Failure('NOT_FOUND', `The order has no line ${reference}`, { hint: `Its lines are ${numbers}` });
}

/** An item that a line needs, or whose goods can be returned: its own, or one part of a combo. */
interface Need {
  readonly line: OrderLine;
  readonly itemId: string;
  readonly name: string;
  readonly remaining: number;
  readonly direction: Direction | null;
}

const listNeeds = (posting: Posting, lines: readonly OrderLine[]): readonly Need[] =>
  lines.flatMap((line) => {
    const direction = POSTED_KINDS[posting]?.[line.kind];
    const { itemId, parts, itemSku, description, remainingQuantity, fulfilledQuantity, returnedQuantity = 0 } = line;
    if (itemId === null || direction === undefined) return [];
    const toNeed = (name: string, id: string, open: number, posted: number, returned: number): Need => ({
      line,
      itemId: id,
      name,
      remaining: posting === 'return' ? posted - returned : open,
      direction,
    });
    if (parts === undefined) return [toNeed(itemSku ?? description, itemId, remainingQuantity, fulfilledQuantity, returnedQuantity)];
    return parts.map(({ item, ...part }) =>
      toNeed(item.sku ?? item.name, item.id, part.remainingQuantity, part.postedQuantity, part.returnedQuantity),
    );
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
