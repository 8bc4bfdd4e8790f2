/**
 * The stock required by the lines of an order, and how much of it stock documents have posted. D-1, D-8.
 *
 * A line requires one item or, for a combo, the parts of the combo when the order left draft. Posted quantities are stored in stock units
 * and in the unit of the line, so that three deliveries of one pound are three pounds despite rounding to kilograms. The line is fulfilled
 * when either sum reaches the ordered quantity.
 */
import type { Fulfilment, OrderModule } from '../../contract/resources/orders.ts';
import { type StockFlow, getStockFlow } from '../../contract/resources/order-lines.ts';
import { calculateNeed, parseNeedRatio } from '../catalog/ingredient-needs.ts';
import { MICRO, divideRounded, scaleRounded } from '../kernel/numbers.ts';
import { getExactPrice } from './line-price.ts';
import type { ComboPart, OrderLineRecord, OrderRecord } from './records.ts';

/** Whether an outstanding line counts as committed or incoming. Null for lines without stock, which only completing the order fulfils. */
export const getLineFlow = (module: OrderModule, { kind, kit }: Pick<OrderLineRecord, 'kind' | 'kit'>): StockFlow | null =>
  kit?.length === 0 ? null : getStockFlow(module, kind);

export interface Requirement {
  readonly itemId: string;
  /** In stock units. */
  readonly required: number;
  readonly posted: number;
  /** Still to be posted. */
  readonly remaining: number;
}

/** One requirement per item of the line. */
export function listRequirements(line: OrderLineRecord): Requirement[] {
  const { itemId, kit, stockQuantity, posted, quantity } = line;
  if (kit) {
    return kit.map((part) => {
      const required = getPartNeed(part, stockQuantity);
      return { itemId: part.itemId, required, posted: part.posted, remaining: Math.max(0, required - part.posted) };
    });
  }
  if (itemId === null) return [];
  const isFullyPosted = posted.quantity >= quantity;
  return [
    { itemId, required: stockQuantity, posted: posted.stock, remaining: isFullyPosted ? 0 : Math.max(0, stockQuantity - posted.stock) },
  ];
}

/** What a line requires, as messages name it; their quantities are in its stock unit. */
export const formatNeed = ({ description, itemSku, kit, stockFactor }: OrderLineRecord): string =>
  `${kit ? 'a part of ' : ''}${itemSku ?? description}${kit || stockFactor === '1' ? '' : ' in stock units'}`;

/** The quantity of a part needed for `combos` (micro-units), in stock units of the part. */
export const getPartNeed = (part: ComboPart, combos: number): number => Number(calculateNeed(parseNeedRatio(part), combos));

/** The fulfilled quantity of a line that requires stock, in the unit of the line. */
export function getFulfilledQuantity(line: OrderLineRecord): number {
  const { kit, quantity, posted } = line;
  const requirements = listRequirements(line);
  if (requirements.every(({ remaining }) => remaining === 0)) return quantity;
  if (kit) return Math.min(...requirements.map(({ required, posted: part }) => scaleDown(quantity, Math.min(part, required), required)));
  if (posted.stock <= 0) return 0;
  // Rounding must neither hide a posted quantity nor fulfil the line early.
  return Math.min(Math.max(posted.quantity, 1), quantity - 1);
}

/** `quantity × numerator ÷ denominator`, rounded down. */
const scaleDown = (quantity: number, numerator: number, denominator: number): number =>
  Number((BigInt(quantity) * BigInt(numerator)) / BigInt(denominator));

export const isPosted = ({ kit, posted }: Pick<OrderLineRecord, 'kit' | 'posted'>): boolean =>
  posted.stock > 0 || (kit?.some((part) => part.posted > 0) ?? false);

/** A document line that is posted for an order line. */
interface Posting {
  readonly itemId: string;
  readonly unitId: string | null;
  readonly quantity: number | null;
  /** In stock units. */
  readonly stockQuantity: number;
}

/** The line after a document line was posted (`sign` 1) or reversed (−1). Undefined if the line does not require that much. */
export function applyPosting(line: OrderLineRecord, posting: Posting, sign: 1 | -1): OrderLineRecord | undefined {
  const stock = sign * posting.stockQuantity;
  if (line.kit) {
    const kit = line.kit.map((part) => (part.itemId === posting.itemId ? { ...part, posted: part.posted + stock } : part));
    const isWithinRequired =
      kit.every((part) => part.posted <= getPartNeed(part, line.stockQuantity)) && kit.some((part, index) => part !== line.kit?.[index]);
    return isWithinRequired || sign < 0 ? withFulfilledQuantity({ ...line, kit }) : undefined;
  }
  if (line.itemId !== posting.itemId) return undefined;
  const isOwnUnit = posting.unitId === line.unitId && posting.quantity !== null;
  const quantity = sign * (isOwnUnit ? Math.abs(posting.quantity) : scaleRounded(posting.stockQuantity, line.quantity, line.stockQuantity));
  const postedStock = line.posted.stock + stock;
  // A changed line may round differently, so the posted quantity becomes 0 in both units at the same time.
  const posted = {
    stock: postedStock,
    quantity: postedStock <= 0 ? 0 : dropRoundingErrors(line, postedStock, line.posted.quantity + quantity),
  };
  const isWithinRequired = isOwnUnit ? posted.quantity <= line.quantity : posted.stock <= line.stockQuantity;
  return isWithinRequired || sign < 0 ? withFulfilledQuantity({ ...line, posted }) : undefined;
}

/** More than the rounding errors of all lines of many documents, and far less than any quantity that was posted. */
const MAX_ROUNDING_ERRORS = 1_000;

/**
 * The posted quantity in the unit of the line, without the rounding errors of earlier postings if it is known exactly: 5, 5 and 2 pieces are
 * one dozen, not 1.000001.
 */
function dropRoundingErrors({ quantity, stockQuantity }: OrderLineRecord, postedStock: number, sum: number): number {
  const exact = BigInt(postedStock) * BigInt(quantity);
  const posted = Number(exact / BigInt(stockQuantity));
  const isKnown = exact % BigInt(stockQuantity) === 0n && Math.abs(sum - posted) < MAX_ROUNDING_ERRORS;
  return isKnown ? posted : Math.max(0, sum);
}

const withFulfilledQuantity = (line: OrderLineRecord): OrderLineRecord => ({ ...line, fulfilledQuantity: getFulfilledQuantity(line) });

/** The fulfilment of an order with these lines. */
export function getFulfilment(lines: readonly OrderLineRecord[]): Fulfilment {
  if (lines.every((line) => line.fulfilledQuantity === 0 && !isPosted(line))) return 'none';
  return lines.every((line) => line.fulfilledQuantity >= line.quantity) ? 'full' : 'partial';
}

/** The site of the line's stock. The order must have left draft. */
export function getLineSiteId(order: OrderRecord, { siteId }: Pick<OrderLineRecord, 'siteId'>): string {
  const site = siteId ?? order.siteId ?? order.stockSiteId;
  if (site === null) throw new Error(`order ${order.orderNumber} has no site for its stock`);
  return site;
}

/** Whether a make order has produced all its outputs. */
export function isFullyProduced(orderLines: readonly OrderLineRecord[]): boolean {
  const outputs = orderLines.filter(({ kind }) => kind === 'output');
  return outputs.length > 0 && outputs.every((line) => listRequirements(line).every(({ remaining }) => remaining === 0));
}

const HUNDRED_PERCENT = 100n * BigInt(MICRO);

/**
 * The cost of a quantity of a line (in stock units) at its price less its discount; null without a price. Rounds once: going through a cost
 * per stock unit would turn three dozens at 10 into 29.999988.
 */
export function getNetCost(line: OrderLineRecord, stock: number): number | null {
  const price = getExactPrice(line);
  if (price === null) return null;
  const net = price.numerator * (HUNDRED_PERCENT - BigInt(line.discountPercent)) * BigInt(line.quantity) * BigInt(stock);
  return Number(divideRounded(net, price.denominator * HUNDRED_PERCENT * BigInt(line.stockQuantity) * BigInt(MICRO)));
}

/** `getNetCost` by line id; null for an unknown line. */
export function createNetCostLookup(lines: readonly OrderLineRecord[]): (lineId: string, stock: number) => number | null {
  const linesById = new Map(lines.map((line) => [line.id, line]));
  return (lineId, stock) => {
    const line = linesById.get(lineId);
    return line ? getNetCost(line, stock) : null;
  };
}
