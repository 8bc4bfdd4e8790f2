/** The model that histories of stock are held against: it knows quantities, promises and states, and nothing of the store. */
import type { Reply, TestService } from '../service/service.ts';
import type { Module, Type } from './arbitraries.ts';

export interface Line {
  readonly item: string;
  readonly direction: 'in' | 'out' | null;
  /** Micro-units; signed on adjustments; what was counted on counts. */
  readonly quantity: number;
  readonly expected: number | null;
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
  quantity: number;
  readonly parts: readonly Part[];
}
export interface Order {
  readonly id: string;
  readonly module: Module;
  status: string;
  readonly lines: readonly OrderLine[];
}

export const MICRO = 1_000_000;
export const OUTSTANDING = ['open', 'in_progress', 'waiting'];

export interface History {
  readonly s: TestService;
  readonly allow: boolean;
  readonly items: readonly string[];
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
}

/** The id of a level. */
export const getPlace = (item: string, site: string): string => `${item} ${site}`;
/** Pieces are whole, the last item counts in kilograms. */
export const micro = (h: History, item: string, quantity: number): number =>
  item === h.items[2] ? (quantity * MICRO) / 8 : quantity * MICRO;
/** One of a list, whatever the number. */
export const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(list.length, 1)];

/** How much a line of that quantity still waits for of one of its parts. */
export const part = (each: Part, quantity: number): number => Math.max(0, each.per * quantity - each.posted);
export const isPosted = (order: Order): boolean => order.lines.some((each) => each.parts.some(({ posted }) => posted > 0));

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
      for (const of of each.parts) add(getPlace(of.item, h.sites[0] ?? ''), each.flow, part(of, each.quantity));
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

/** How much of a line is fulfilled: of a combo, as many as all its parts make. */
export function getFulfilled({ quantity, parts, isCombo }: OrderLine): number {
  if (parts.every((each) => each.posted >= each.per * quantity)) return quantity;
  return isCombo
    ? Math.min(...parts.map((each) => Math.floor(Math.min(each.posted, each.per * quantity) / each.per)))
    : (parts[0]?.posted ?? 0);
}

/** The event of a changed document. */
export const getUpdate = (doc: Doc): string => `stock_document.updated ${doc.id}`;
