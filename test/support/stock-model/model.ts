/** The model that histories of stock are held against: it knows quantities, promises and states, and nothing of the store. */
import type { Reply, TestService } from '../service/service.ts';
import type { Module, Type, WishedLine } from './arbitraries.ts';

/** A unit of a line, and the stock units in one of it, as a fraction. */
export interface Unit {
  readonly id: string;
  readonly ratio: readonly [number, number];
}
/** A quantity as a request states it, and what it is in stock units, in micro-units. */
export interface Amount {
  readonly unit: Unit;
  readonly stated: number;
  readonly quantity: number;
}
export interface Line {
  readonly item: string;
  readonly direction: 'in' | 'out' | null;
  /** Micro-units of the stock unit; signed on adjustments; what was counted on counts. */
  readonly quantity: number;
  /** Null when the service has chosen unit and quantity. */
  readonly stated: Amount | null;
  /** Counts: the stock that must be on hand at approval. */
  readonly expected: number | null;
  /** The request leaves it to the service, which expects what is on hand. */
  readonly isExpectationOmitted?: boolean;
  readonly orderLineId: string | null;
}
export interface Move {
  readonly place: string;
  readonly delta: number;
}
export interface Doc {
  readonly id: string;
  readonly type: Type;
  readonly site: string;
  readonly to: string | null;
  readonly orderId: string | null;
  readonly lines: readonly Line[];
  status: 'draft' | 'submitted' | 'approved' | 'cancelled' | 'deleted';
  moves: readonly Move[];
}
export interface Part {
  readonly item: string;
  readonly per: number;
  posted: number;
}
export interface OrderLine {
  readonly id: string;
  readonly flow: 'committed' | 'incoming';
  readonly isCombo: boolean;
  /** In the unit of the line. */
  quantity: number;
  readonly ratio: readonly [number, number];
  readonly parts: readonly Part[];
}
export interface Order {
  readonly id: string;
  readonly module: Module;
  status: string;
  lines: readonly OrderLine[];
}

export const MICRO = 1_000_000;
export const OUTSTANDING = ['open', 'in_progress', 'waiting'];

export interface History {
  readonly s: TestService;
  readonly allow: boolean;
  readonly items: readonly string[];
  /** Of each item: its own unit, and another one of the same dimension. */
  readonly units: readonly { readonly own: Unit; readonly other: Unit }[];
  readonly combo: string;
  readonly sites: readonly string[];
  readonly contacts: Readonly<Record<Module, string>>;
  readonly onHand: Map<string, number>;
  readonly docs: Doc[];
  readonly orders: Order[];
  ledger: string[];
  shortages: readonly { readonly itemId: string; readonly siteId: string; readonly missing: number }[] | undefined;
  last: { method: 'POST' | 'PATCH'; path: string; body: object; key: string; reply: Reply } | undefined;
  count: number;
  /** Writes that the service has accepted, and rejected as the model predicted. */
  readonly outcomes: { accepted: number; rejected: number };
  /** What the histories of a test have done, as `approve receipt`. */
  readonly covered: Set<string>;
}

/** The id of a level. */
export const getPlace = (item: string, site: string): string => `${item} ${site}`;
/** Pieces are whole and may be counted in dozens; the last item is kept in kilograms with three decimals and may be weighed in grams. */
export function measure(h: History, item: string, { quantity, unit }: Pick<WishedLine, 'quantity' | 'unit'>): Amount {
  const index = h.items.indexOf(item);
  const units = h.units[index];
  if (!units) throw new Error(`item ${item} has no units`);
  const isWeighed = index === 2;
  if (unit === 'tiny' && isWeighed) return { unit: units.other, stated: quantity * 100_000, quantity: 0 };
  const chosen = unit === 'other' ? units.other : units.own;
  const [numerator, denominator] = chosen.ratio;
  const stated = isWeighed ? (quantity * MICRO * denominator) / 8 : quantity * MICRO;
  return { unit: chosen, stated, quantity: (stated * numerator) / denominator };
}

/** The quantity of an order line in stock units, of a combo in combos. */
export const getStock = ({ quantity, ratio: [numerator, denominator] }: Pick<OrderLine, 'quantity' | 'ratio'>): number =>
  (quantity * numerator) / denominator;
/** Whether a line states less than the smallest quantity of the stock unit. */
export const isTooSmall = ({ stated }: Pick<Line, 'stated'>): boolean => stated?.quantity === 0;
/** One of a list, whatever the number. */
export const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(list.length, 1)];

/** How much a line of that quantity still waits for of one of its parts. */
export const part = (each: Part, quantity: number): number => Math.max(0, each.per * quantity - each.posted);
/** Whether a document of the order is posted, also one that counts for no line. */
export const isPosted = (h: History, order: Order): boolean =>
  h.docs.some(({ orderId, status }) => orderId === order.id && status === 'approved');

/** What moves, in net per place; `null` is what is made, which is not there yet when its parts are taken. */
export function getMoves(h: History, type: Type, site: string, to: string | null, own: readonly Line[]): Move[] {
  return own.flatMap(({ item, quantity, direction }): Move[] => {
    const place = getPlace(item, site);
    if (type === 'receipt' || type === 'adjustment') return [{ place, delta: quantity }];
    if (type === 'issue') return [{ place, delta: -quantity }];
    if (type === 'transfer')
      return [
        { place, delta: -quantity },
        { place: getPlace(item, to ?? ''), delta: quantity },
      ];
    if (type === 'production') return [{ place, delta: direction === 'in' ? quantity : -quantity }];
    return [{ place, delta: quantity - (h.onHand.get(place) ?? 0) }];
  });
}

/** What is missing by place, when these moves happen together. */
export function getShortages(h: History, moves: readonly Move[], isProduction: boolean): Map<string, number> {
  const net = new Map<string, number>();
  for (const { place, delta } of moves) if (!(isProduction && delta > 0)) net.set(place, (net.get(place) ?? 0) + delta);
  const missing = new Map<string, number>();
  for (const [place, delta] of net) {
    const left = (h.onHand.get(place) ?? 0) + delta;
    if (!h.allow && delta < 0 && left < 0) missing.set(place, -left);
  }
  return missing;
}

export function apply(h: History, moves: readonly Move[], sign: 1 | -1): void {
  for (const { place, delta } of moves) h.onHand.set(place, (h.onHand.get(place) ?? 0) + sign * delta);
}

export const linePart = (order: Order | undefined, { orderLineId, item }: Line): { line: OrderLine; part: Part } | undefined => {
  const line = order?.lines.find(({ id }) => id === orderLineId);
  const found = line?.parts.find((each) => each.item === item);
  return line && found && { line, part: found };
};

/** A document has been posted. */
export function done(h: History, doc: Doc, moves: readonly Move[], order: Order | undefined): void {
  apply(h, moves, 1);
  Object.assign(doc, { status: 'approved', moves });
  for (const each of doc.lines) {
    const found = linePart(order, each);
    if (found) found.part.posted += each.quantity;
  }
}

/** What orders and submitted documents ask for by place, as the model knows it. */
export function getClaims(h: History): Map<string, { committed: number; incoming: number }> {
  const claims = new Map<string, { committed: number; incoming: number }>();
  const add = (place: string, flow: 'committed' | 'incoming', quantity: number) => {
    const claim = claims.get(place) ?? { committed: 0, incoming: 0 };
    claims.set(place, { ...claim, [flow]: claim[flow] + quantity });
  };
  for (const order of h.orders.filter(({ status }) => OUTSTANDING.includes(status))) {
    for (const each of order.lines)
      for (const of of each.parts) add(getPlace(of.item, h.sites[0] ?? ''), each.flow, part(of, getStock(each)));
  }
  for (const doc of h.docs.filter(({ status }) => status === 'submitted')) {
    if (doc.type === 'count') continue;
    for (const { place, delta } of getMoves(
      h,
      doc.type,
      doc.site,
      doc.to,
      doc.lines.filter(({ orderLineId }) => orderLineId === null),
    )) {
      add(place, delta < 0 ? 'committed' : 'incoming', Math.abs(delta));
    }
  }
  return claims;
}

/** How much of a line is fulfilled, in its unit: of a combo, as many as all its parts make. A dozen has no exact fraction of a piece. */
export function getFulfilled(line: OrderLine): { readonly least: number; readonly most: number } {
  const { quantity, parts, isCombo, ratio } = line;
  const exactly = (value: number) => ({ least: value, most: value });
  if (parts.every((each) => each.posted >= each.per * getStock(line))) return exactly(quantity);
  if (isCombo) return exactly(Math.min(...parts.map((each) => Math.floor(Math.min(each.posted, each.per * quantity) / each.per))));
  const posted = ((parts[0]?.posted ?? 0) * ratio[1]) / ratio[0];
  return Number.isInteger(posted)
    ? exactly(posted)
    : { least: Math.max(1, Math.floor(posted)), most: Math.min(quantity - 1, Math.ceil(posted)) };
}

/** The event of a changed document. */
export const getUpdate = (doc: Doc): string => `stock_document.updated ${doc.id}`;
