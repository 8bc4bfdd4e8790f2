/** What histories do with stock documents. */
import { expect } from 'vitest';
import { type Reply, getCode } from '../service/service.ts';
import {
  type Doc,
  type History,
  type Line,
  MICRO,
  type Move,
  OUTSTANDING,
  type Order,
  type OrderLine,
  type Part,
  apply,
  at,
  done,
  linePart,
  measure,
  getFulfilled,
  getMoves,
  getStock,
  isTooSmall,
  getPlace,
  getShortages,
  getUpdate,
} from './model.ts';
import type { Wish } from './arbitraries.ts';
import { checkShortages, dump, write } from './write.ts';

export async function draft(
  h: History,
  wish: Pick<Wish<'draft'>, 'type' | 'site' | 'lines' | 'order' | 'isUnlinked'>,
): Promise<Doc | undefined> {
  const site = h.sites[wish.site] ?? '';
  const open = wish.order === null ? [] : h.orders.filter(({ status }) => OUTSTANDING.includes(status));
  const order = wish.order === null ? undefined : at(open, wish.order);
  if (order) return draftFor(h, order, wish);
  const { type } = wish;
  const seen = new Set<number>();
  const own = wish.lines
    .filter(({ item }) => type !== 'count' || (!seen.has(item) && seen.add(item)))
    .map((wished): Line => {
      const { item: index, loss, stale } = wished;
      const item = h.items[index] ?? '';
      // An expected quantity counts in the unit of the line, in which the stock on hand may be no number.
      const hasExpected = type === 'count' && stale !== 'none';
      const stated = measure(h, item, hasExpected ? { ...wished, unit: 'own' } : wished);
      const known = h.onHand.get(getPlace(item, site)) ?? 0;
      const isOmitted = type === 'count' && (!hasExpected || known < 0);
      return {
        item,
        direction: type === 'production' ? (loss ? 'out' : 'in') : null,
        quantity: type === 'adjustment' && loss ? -stated.quantity : stated.quantity,
        stated,
        expected: type !== 'count' ? null : isOmitted || stale === 'right' ? known : known + MICRO,
        isExpectationOmitted: isOmitted,
        orderLineId: null,
      };
    });
  const to = type === 'transfer' ? (h.sites[1 - wish.site] ?? null) : null;
  return store(
    h,
    { type, site, to, orderId: null, lines: own },
    wish.lines.map(({ cost }) => cost),
  );
}

/** A document for what an order waits for, sometimes for more than that. */
function draftFor(h: History, order: Order, wish: Pick<Wish<'draft'>, 'site' | 'lines' | 'isUnlinked'>): Promise<Doc | undefined> {
  const type = order.module === 'buy' ? 'receipt' : order.module === 'make' ? 'production' : 'issue';
  const wanted = order.lines.flatMap((each) => each.parts.map((of) => ({ each, of })));
  const own = wish.lines.flatMap((wished, index): Line[] => {
    const target = at(wanted, index);
    if (!target) return [];
    const direction = type !== 'production' ? null : target.each.flow === 'incoming' ? 'in' : 'out';
    const stated = measure(h, target.of.item, wished);
    // The lines of a receipt always fulfil the order.
    const orderLineId = wish.isUnlinked && order.module !== 'buy' ? null : target.each.id;
    return [{ item: target.of.item, direction, quantity: stated.quantity, stated, expected: null, orderLineId }];
  });
  return store(
    h,
    { type, site: h.sites[wish.site] ?? '', to: null, orderId: order.id, lines: own },
    wish.lines.map(({ cost }) => cost),
  );
}

async function store(
  h: History,
  doc: Pick<Doc, 'type' | 'site' | 'to' | 'orderId' | 'lines'>,
  costs: readonly (number | null)[],
): Promise<Doc | undefined> {
  const body = {
    type: doc.type,
    siteId: doc.site,
    ...(doc.to === null ? {} : { toSiteId: doc.to }),
    ...(doc.orderId === null ? {} : { orderId: doc.orderId }),
    ...(doc.type === 'adjustment' ? { reason: 'correction' } : {}),
    lines: doc.lines.map(({ item, direction, quantity, stated, expected, isExpectationOmitted, orderLineId }, index) => ({
      itemId: item,
      unitId: stated?.unit.id,
      ...(direction === null ? {} : { direction }),
      ...(doc.type === 'count'
        ? { countedQuantity: (stated?.stated ?? 0) / MICRO }
        : { quantity: ((quantity < 0 ? -1 : 1) * (stated?.stated ?? 0)) / MICRO }),
      ...(expected === null || isExpectationOmitted === true ? {} : { expectedQuantity: expected / MICRO }),
      ...(orderLineId === null ? {} : { orderLineId }),
      ...((doc.type === 'receipt' || doc.type === 'adjustment') && quantity > 0 && typeof costs[index] === 'number'
        ? { unitCost: costs[index] / 100 }
        : {}),
    })),
  };
  const wrong = doc.lines.some(isTooSmall) ? ['VALIDATION_FAILED'] : [];
  const reply = await write(h, 'POST', '/v1/stock-documents', body, wrong, ({ body: { data } }) => [
    `stock_document.created ${data.id as string}`,
  ]);
  if (!reply) return undefined;
  const stored: Doc = { ...doc, id: reply.body.data.id as string, status: 'draft', moves: [] };
  expectLines(reply.body.data, stored);
  h.docs.push(stored);
  return stored;
}

/** The response has the status and the lines of the model, in stock units. */
function expectLines(data: Reply['body'], doc: Doc): void {
  const lines = data.lines.map(({ itemId, stockQuantity }: Record<string, unknown>) => [itemId, stockQuantity]);
  expect([data.status, lines]).toEqual([doc.status, doc.lines.map(({ item, quantity }) => [item, quantity / MICRO])]);
}

/** The response states the posted quantity of each line, and the net effect on each level. */
export function expectPosted(h: History, data: Reply['body'], doc: Doc, moves: readonly Move[]): void {
  expect(data.status).toBe(doc.status);
  const net = new Map<string, number>();
  for (const { place, delta } of moves) if (delta !== 0) net.set(place, (net.get(place) ?? 0) + delta);
  const effects = data.stockEffects.map(({ itemId, siteId, quantityDelta, onHandAfter }: Record<string, string | number>) => [
    getPlace(String(itemId), String(siteId)),
    { quantityDelta, onHandAfter },
  ]);
  const expected = [...net].map(
    ([place, delta]) => [place, { quantityDelta: delta / MICRO, onHandAfter: (h.onHand.get(place) ?? 0) / MICRO }] as const,
  );
  expect(new Map(effects)).toEqual(new Map(expected));
}

export async function act(h: History, doc: Doc, action: Wish<'act'>['action']): Promise<void> {
  const path = `/v1/stock-documents/${doc.id}`;
  const order = h.orders.find(({ id }) => id === doc.orderId);
  const isOut = order !== undefined && !OUTSTANDING.includes(order.status);
  if (doc.status === 'deleted') return;
  if (action === 'delete') {
    const before = doc.status === 'draft' ? undefined : await dump(h);
    const { status } = await h.s.delete(path);
    expect(status).toBe(doc.status === 'draft' ? 204 : 409);
    if (status === 204) doc.status = 'deleted';
    else expect(await dump(h)).toBe(before);
  } else if (action === 'recall') {
    const wrong = doc.status === 'draft' || doc.status === 'submitted' ? [] : ['INVALID_STATE'];
    const events = doc.status === 'submitted' ? [getUpdate(doc)] : [];
    if (await write(h, 'PATCH', path, { status: 'draft' }, wrong, () => events)) doc.status = 'draft';
  } else if (action === 'submit') {
    const isLoss =
      doc.type === 'production' && doc.lines.every(({ direction, orderLineId }) => direction === 'out' && orderLineId === null);
    const wrong = doc.status !== 'draft' || isLoss || isOut || doc.lines.length === 0 || !fits(order, doc) ? ['INVALID_STATE'] : [];
    if (await write(h, 'POST', `${path}/submit`, {}, wrong, () => [getUpdate(doc)])) doc.status = 'submitted';
  } else if (action === 'approve') await approve(h, doc, order);
  else await cancel(h, doc, order);
}

/** What the document would do to its order: false when a line does not wait for that much. */
function fits(order: Order | undefined, doc: Doc): boolean {
  const asked = new Map<Part, { line: OrderLine; sum: number }>();
  for (const each of doc.lines) {
    const found = linePart(order, each);
    if (found) asked.set(found.part, { line: found.line, sum: (asked.get(found.part)?.sum ?? 0) + each.quantity });
  }
  return [...asked].every(([each, { line, sum }]) => each.posted + sum <= each.per * getStock(line));
}

async function approve(h: History, doc: Doc, order: Order | undefined): Promise<void> {
  const wrong: string[] = [];
  const moves = getMoves(h, doc.type, doc.site, doc.to, doc.lines).filter(({ delta }) => delta !== 0);
  const missing = getShortages(h, moves, doc.type === 'production');
  if (doc.status !== 'submitted' || (order && (!OUTSTANDING.includes(order.status) || !fits(order, doc)))) wrong.push('INVALID_STATE');
  else {
    if (doc.lines.some(({ item, expected }) => expected !== null && expected !== (h.onHand.get(getPlace(item, doc.site)) ?? 0)))
      wrong.push('STALE_COUNT');
    else if (missing.size > 0) wrong.push('INSUFFICIENT_STOCK');
  }
  const events = [getUpdate(doc), ...(order ? [`order.updated ${order.id}`] : [])];
  const reply = await write(h, 'POST', `/v1/stock-documents/${doc.id}/approve`, {}, wrong, () => events);
  checkShortages(h, missing);
  if (!reply) return;
  done(h, doc, moves, order);
  expectPosted(h, reply.body.data, doc, moves);
  recordApproval(h, doc, order);
}

function recordApproval({ covered, units, items }: History, { type, lines }: Doc, order: Order | undefined): void {
  covered.add(`approve ${type}`);
  const isOther = ({ item, stated }: Line): boolean => stated !== null && stated.unit.id === units[items.indexOf(item)]?.other.id;
  if (lines.some(isOther)) covered.add(`approve ${type} in another unit`);
  if (!order) return;
  const counted = lines.flatMap((line) => linePart(order, line)?.line ?? []);
  const partial = counted.filter((line) => getFulfilled(line).most < line.quantity);
  if (counted.length === 0) covered.add(`post for ${order.module} without order line`);
  if (partial.length > 0) covered.add(`fulfil ${order.module} in part`);
  if (partial.some(({ isCombo }) => isCombo)) covered.add('fulfil a kit in part');
}

async function cancel(h: History, doc: Doc, order: Order | undefined): Promise<void> {
  const path = `/v1/stock-documents/${doc.id}/cancel`;
  if (doc.status !== 'approved') {
    const wrong = doc.status === 'cancelled' ? ['INVALID_STATE'] : [];
    if (await write(h, 'POST', path, { reason: 'wrong' }, wrong, () => [getUpdate(doc)])) doc.status = 'cancelled';
    return;
  }
  const missing = getShortages(
    h,
    doc.moves.map(({ place, delta }) => ({ place, delta: -delta })),
    false,
  );
  // A document whose lines count for no line of the order changes and reopens nothing.
  const counted = doc.lines.some(({ orderLineId }) => orderLineId !== null) ? order : undefined;
  const events = [getUpdate(doc), ...(counted ? [`order.updated ${counted.id}`] : [])];
  const reply = await write(h, 'POST', path, {}, missing.size > 0 ? ['INSUFFICIENT_STOCK'] : [], () => events);
  checkShortages(h, missing);
  if (!reply) return;
  apply(h, doc.moves, -1);
  doc.status = 'cancelled';
  const returned = doc.moves.map(({ place, delta }) => ({ place, delta: -delta }));
  expectPosted(h, reply.body.data, doc, returned);
  h.covered.add(`reverse ${doc.type}`);
  for (const each of doc.lines) {
    const found = linePart(order, each);
    if (found) found.part.posted -= each.quantity;
  }
  if (counted?.status !== 'completed') return;
  counted.status = 'in_progress';
  h.covered.add(`reopen ${counted.module}`);
}

/** Two issues of all there is, approved concurrently: with `block` one of them gets it. */
export async function race(h: History, wish: Wish<'race'>): Promise<void> {
  const [item, site] = [h.items[wish.item] ?? '', h.sites[wish.site] ?? ''];
  const quantity = h.onHand.get(getPlace(item, site)) ?? 0;
  if (quantity <= 0 || h.allow) return;
  const own = h.units[wish.item]?.own;
  const stated = own ? { unit: own, stated: quantity, quantity } : null;
  const rivals: Doc[] = [];
  for (let each = 0; each < 2; each += 1) {
    const doc = await store(
      h,
      {
        type: 'issue',
        site,
        to: null,
        orderId: null,
        lines: [{ item, direction: null, quantity, stated, expected: null, orderLineId: null }],
      },
      [],
    );
    if (!doc) return;
    await act(h, doc, 'submit');
    rivals.push(doc);
  }
  const replies = await Promise.all(rivals.map(({ id }) => h.s.post(`/v1/stock-documents/${id}/approve`, {})));
  expect(replies.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
  for (const [index, doc] of rivals.entries()) {
    if (replies[index]?.status === 200) done(h, doc, getMoves(h, 'issue', site, null, doc.lines), undefined);
    else expect(replies[index] && getCode(replies[index])).toBe('INSUFFICIENT_STOCK');
  }
}

/** What the steps before have made of it, which the compiler cannot see. */
const getStatus = ({ status }: Doc): Doc['status'] => status;

/** Approving and reversing immediately leaves quantity and value as they were (D-25). */
export async function thereAndBack(h: History, wish: Wish<'post'>): Promise<void> {
  const values = async () =>
    h.s.service.store.read(h.s.tenant.id, async (tx) =>
      Object.fromEntries(
        (await tx.stockLevels.listAfter({ limit: 10_000 })).rows
          .filter(({ onHand, stockValue }) => onHand !== 0 || stockValue !== 0)
          .map(({ id, onHand, stockValue }) => [id, [onHand, stockValue]]),
      ),
    );
  const before = await values();
  const doc = await draft(h, { ...wish, order: null });
  if (!doc) return;
  await act(h, doc, 'submit');
  await act(h, doc, 'approve');
  const hasMoved = doc.moves.length > 0;
  if (!hasMoved) return;
  await act(h, doc, 'cancel');
  // Below zero what is owed counts at the average, which the document has moved.
  if (!h.allow && getStatus(doc) === 'cancelled') expect(await values()).toEqual(before);
}
