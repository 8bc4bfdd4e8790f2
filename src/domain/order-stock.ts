/**
 * What the lines of an order ask of stock, and how much of it stock documents have posted. D-1, D-8.
 *
 * A line asks for one item, or, when it sells a combo, for the parts of the combo as they were when the order left draft. What is posted
 * is kept twice, in stock units and in the unit of the line, so that three deliveries of a pound are three pounds, whatever a pound is in
 * kilograms; either sum that reaches what was ordered fulfils the line.
 */
import type { Fulfilment, OrderModule } from '../contract/orders.ts';
import type { LineKind } from '../contract/order-lines.ts';
import { needFor } from './bom.ts';
import { MICRO, divideRounded, scaleRounded } from './numbers.ts';
import type { KitPart, OrderLineRecord, OrderRecord } from './order-records.ts';
import type { StockLineRecord } from './stock-records.ts';

/** What an outstanding line counts as: stock promised to somebody, or stock that will come. */
export type Flow = 'committed' | 'incoming';

const FLOWS: Readonly<Partial<Record<LineKind, Flow>>> = { output: 'incoming', component: 'committed', part: 'committed' };

/** Null: the line has nothing to do with stock, and only completing the order fulfils it. */
export function flowOf(module: OrderModule, { kind, kit }: Pick<OrderLineRecord, 'kind' | 'kit'>): Flow | null {
  if (kit?.length === 0) return null;
  if (kind === 'item') return module === 'buy' ? 'incoming' : 'committed';
  return FLOWS[kind] ?? null;
}

export interface Requirement {
  readonly itemId: string;
  /** Stock units. */
  readonly required: number;
  readonly posted: number;
  /** What is still to be posted. */
  readonly remaining: number;
}

/** One requirement per item that the line asks for. */
export function requirementsOf(line: OrderLineRecord): Requirement[] {
  const { itemId, kit, stockQuantity, posted, quantity } = line;
  if (kit) {
    return kit.map((part) => {
      const required = partNeed(part, stockQuantity);
      return { itemId: part.itemId, required, posted: part.posted, remaining: Math.max(0, required - part.posted) };
    });
  }
  if (itemId === null) return [];
  const isDone = posted.quantity >= quantity;
  return [{ itemId, required: stockQuantity, posted: posted.stock, remaining: isDone ? 0 : Math.max(0, stockQuantity - posted.stock) }];
}

/** What `combos` (micro-units of the combo's own unit) need of one of the parts, in stock units of the part. */
export const partNeed = ({ numerator, denominator, step }: KitPart, combos: number): number =>
  Number(needFor({ numerator: BigInt(numerator), denominator: BigInt(denominator), step: BigInt(step) }, combos));

/** How much of a line that asks for stock is fulfilled, in the unit of the line. */
export function fulfilledOf(line: OrderLineRecord): number {
  const { kit, quantity, posted } = line;
  const requirements = requirementsOf(line);
  if (requirements.every(({ remaining }) => remaining === 0)) return quantity;
  if (kit) return Math.min(...requirements.map(({ required, posted: part }) => portion(quantity, Math.min(part, required), required)));
  if (posted.stock <= 0) return 0;
  // Rounding must neither hide what was posted nor fulfil a line that waits for more.
  return Math.min(Math.max(posted.quantity, 1), quantity - 1);
}

/** `quantity × part ÷ whole`, rounded down. */
const portion = (quantity: number, part: number, whole: number): number => Number((BigInt(quantity) * BigInt(part)) / BigInt(whole));

export const isPosted = ({ kit, posted }: Pick<OrderLineRecord, 'kit' | 'posted'>): boolean =>
  posted.stock > 0 || (kit?.some((part) => part.posted > 0) ?? false);

type Posting = Pick<StockLineRecord, 'itemId' | 'unitId' | 'quantity' | 'stockQuantity'>;

/** The line after a document line was posted for it (`sign` 1) or reversed (−1). Undefined: the line never asked for that much. */
export function withPosting(line: OrderLineRecord, posting: Posting, sign: 1 | -1): OrderLineRecord | undefined {
  const stock = sign * posting.stockQuantity;
  if (line.kit) {
    const kit = line.kit.map((part) => (part.itemId === posting.itemId ? { ...part, posted: part.posted + stock } : part));
    const fits = kit.every((part) => part.posted <= partNeed(part, line.stockQuantity)) && kit.some((part, at) => part !== line.kit?.[at]);
    return fits || sign < 0 ? fulfilled({ ...line, kit }) : undefined;
  }
  if (line.itemId !== posting.itemId) return undefined;
  const isOwnUnit = posting.unitId === line.unitId && posting.quantity !== null;
  const quantity = sign * (isOwnUnit ? Math.abs(posting.quantity) : scaleRounded(posting.stockQuantity, line.quantity, line.stockQuantity));
  const inStock = line.posted.stock + stock;
  // The line may have been changed since, and its quantity rounds otherwise: what is posted for it ends together in both units.
  const posted = { stock: inStock, quantity: inStock <= 0 ? 0 : Math.max(0, line.posted.quantity + quantity) };
  const fits = isOwnUnit ? posted.quantity <= line.quantity : posted.stock <= line.stockQuantity;
  return fits || sign < 0 ? fulfilled({ ...line, posted }) : undefined;
}

const fulfilled = (line: OrderLineRecord): OrderLineRecord => ({ ...line, fulfilledQuantity: fulfilledOf(line) });

/** How much of an order's lines is fulfilled. */
export function fulfilmentOf(lines: readonly OrderLineRecord[]): Fulfilment {
  if (lines.every((line) => line.fulfilledQuantity === 0 && !isPosted(line))) return 'none';
  return lines.every((line) => line.fulfilledQuantity >= line.quantity) ? 'full' : 'partial';
}

/** Where the line's stock is; only an order that has left draft knows. */
export function siteOfLine(order: OrderRecord, { siteId }: Pick<OrderLineRecord, 'siteId'>): string {
  const site = siteId ?? order.siteId ?? order.stockSiteId;
  if (site === null) throw new Error(`order ${order.orderNumber} has no site for its stock`);
  return site;
}

const WHOLE_PERCENT = 100n * BigInt(MICRO);

/**
 * What so much of a line (stock units) costs at its price net of its discount; null when it has no price. Rounded once: a cost per stock
 * unit in between would make 29.999988 of three dozens at 10.
 */
export function netWorth({ unitPrice, discountPercent, quantity, stockQuantity }: OrderLineRecord, stock: number): number | null {
  if (unitPrice === null) return null;
  const price = BigInt(unitPrice) * (WHOLE_PERCENT - BigInt(discountPercent));
  return Number(divideRounded(price * BigInt(quantity) * BigInt(stock), WHOLE_PERCENT * BigInt(stockQuantity) * BigInt(MICRO)));
}
