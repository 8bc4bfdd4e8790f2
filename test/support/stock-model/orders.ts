/** What histories do with orders. */
import { expect } from 'vitest';
import type { Reply } from '../service/service.ts';
import {
  type Doc,
  type History,
  type Line,
  MICRO,
  OUTSTANDING,
  type Order,
  type OrderLine,
  at,
  done,
  isPosted,
  measure,
  getMoves,
  getStock,
  part,
  getShortages,
  getUpdate,
} from './model.ts';
import type { Type, Wish } from './arbitraries.ts';
import { checkShortages, write } from './write.ts';
import type { WishedLine } from './arbitraries.ts';

/** A line that a request adds to an order, and the line of the model without its id. */
function planLine(h: History, module: Order['module'], wished: WishedLine) {
  const { item: index, quantity, cost, loss } = wished;
  const isCombo = module === 'sell' && loss;
  const itemId = isCombo ? h.combo : (h.items[index] ?? '');
  const kind = module === 'make' ? (loss ? 'component' : 'output') : module === 'fix' ? 'part' : 'item';
  const amount = isCombo ? undefined : measure(h, itemId, wished);
  const stated = amount?.stated ?? quantity * MICRO;
  const body = {
    kind,
    itemId,
    quantity: stated / MICRO,
    ...(amount ? { unitId: amount.unit.id } : {}),
    ...(cost === null ? {} : { unitPrice: cost / 100 }),
  };
  const parts = isCombo
    ? [
        { item: h.items[0] ?? '', per: 2, posted: 0 },
        { item: h.items[1] ?? '', per: 1, posted: 0 },
      ]
    : [{ item: itemId, per: 1, posted: 0 }];
  const flow = module === 'buy' || kind === 'output' ? ('incoming' as const) : ('committed' as const);
  return {
    body,
    isTooSmall: amount?.quantity === 0,
    line: { flow, isCombo, quantity: stated, ratio: amount?.unit.ratio ?? ([1, 1] as const), parts },
  };
}

/** Whether an order of the module can be open with these lines. */
const canBeOpen = (module: Order['module'], lines: readonly Pick<OrderLine, 'flow'>[]): boolean =>
  module !== 'make' || (lines.some(({ flow }) => flow === 'incoming') && lines.some(({ flow }) => flow === 'committed'));

/** The response has the status and the lines of the model. */
function expectOrder(data: Reply['body'], order: Order): void {
  expect([
    data.status,
    data.lines.map(({ id, quantity, stockQuantity }: Record<string, unknown>) => [id, quantity, stockQuantity]),
  ]).toEqual([order.status, order.lines.map((line) => [line.id, line.quantity / MICRO, getStock(line) / MICRO])]);
}

export async function createOrder(h: History, { module, isDraft, lines: wished }: Wish<'order'>): Promise<void> {
  const status = isDraft ? 'draft' : 'open';
  const planned = wished.map((line) => planLine(h, module, line));
  const body = { module, status, contactId: h.contacts[module], lines: planned.map((each) => each.body) };
  const wrong: string[] = [];
  if (planned.some(({ isTooSmall }) => isTooSmall)) wrong.push('VALIDATION_FAILED');
  const isUnfit = !canBeOpen(
    module,
    planned.map(({ line }) => line),
  );
  if (!isDraft && isUnfit) wrong.push('INVALID_TRANSITION');
  const reply = await write(h, 'POST', '/v1/orders', body, wrong, ({ body: { data } }) => [`order.created ${data.id as string}`]);
  if (!reply) return;
  const { data } = reply.body;
  const ids = data.lines.map(({ id }: { id: string }) => id) as string[];
  const order: Order = {
    id: data.id as string,
    module,
    status,
    lines: planned.map(({ line }, index) => ({ id: ids[index] ?? '', ...line })),
  };
  expectOrder(data, order);
  h.orders.push(order);
}

const WALK: Readonly<Record<string, readonly string[]>> = {
  draft: ['open', 'cancelled'],
  open: ['draft', 'in_progress', 'completed', 'cancelled'],
  in_progress: ['open', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

export async function moveOrder(h: History, order: Order, { to, none }: Pick<Wish<'move'>, 'to' | 'none'>): Promise<void> {
  const isMoved = to !== order.status;
  const wrong: string[] = [];
  if (isMoved && !WALK[order.status]?.includes(to)) wrong.push('INVALID_TRANSITION');
  const back = to === 'draft' || to === 'cancelled' || (to === 'open' && order.status !== 'draft');
  if (isMoved && back && isPosted(h, order)) wrong.push('ORDER_HAS_POSTED_STOCK');
  if (to === 'open' && order.status === 'draft' && !canBeOpen(order.module, order.lines)) wrong.push('INVALID_TRANSITION');
  const posts = isMoved && to === 'completed' && !none;
  const rest = order.lines.flatMap((each) =>
    each.parts.map((of): Line => {
      const direction = order.module !== 'make' ? null : each.flow === 'incoming' ? 'in' : 'out';
      return { item: of.item, direction, quantity: part(of, getStock(each)), stated: null, expected: null, orderLineId: each.id };
    }),
  );
  const remaining = posts ? rest.filter(({ quantity }) => quantity > 0) : [];
  const type: Type = order.module === 'buy' ? 'receipt' : order.module === 'make' ? 'production' : 'issue';
  const site = h.sites[0] ?? '';
  const moves = getMoves(h, type, site, null, remaining);
  const missing = getShortages(h, moves, type === 'production');
  if (wrong.length === 0 && missing.size > 0) wrong.push('INSUFFICIENT_STOCK');
  const withdrawn =
    isMoved && (to === 'cancelled' || to === 'completed')
      ? h.docs.filter((doc) => doc.orderId === order.id && (doc.status === 'draft' || doc.status === 'submitted'))
      : [];
  const body = { status: to, ...(to === 'completed' && none ? { stock: 'none' } : {}) };
  const freshDocuments = ({ body: { data } }: Reply): string[] =>
    (data.stockDocumentIds as string[]).filter((id) => !h.docs.some((doc) => doc.id === id));
  const reply = await write(h, 'PATCH', `/v1/orders/${order.id}`, body, wrong, (each) => [
    ...(isMoved ? [`order.updated ${order.id}`] : []),
    ...withdrawn.map(getUpdate),
    ...freshDocuments(each).flatMap((id) => [`stock_document.created ${id}`, `stock_document.updated ${id}`]),
  ]);
  checkShortages(h, missing);
  if (!reply) return;
  const ids = freshDocuments(reply);
  expect(ids).toHaveLength(remaining.length > 0 ? 1 : 0);
  for (const id of ids) {
    const doc: Doc = { id, type, site, to: null, orderId: order.id, lines: remaining, status: 'approved', moves: [] };
    h.docs.push(doc);
    done(h, doc, moves, order);
  }
  for (const doc of withdrawn) doc.status = 'cancelled';
  order.status = to;
  expectOrder(reply.body.data, order);
  if (isMoved) h.covered.add(`${to === 'completed' ? (none ? 'close' : 'complete') : to === 'cancelled' ? 'cancel' : to} ${order.module}`);
  if (posts && order.lines.some(({ isCombo }) => isCombo)) h.covered.add('complete a kit');
}

export async function resize(h: History, order: Order, wish: Wish<'resize'>): Promise<void> {
  const line = at(order.lines, wish.line);
  if (!line) return;
  const isWeighed = line.parts[0]?.item === h.items[2];
  const quantity = isWeighed ? (wish.quantity * MICRO * line.ratio[1]) / 8 : wish.quantity * MICRO;
  const body = { lines: order.lines.map(({ id }) => (id === line.id ? { id, quantity: quantity / MICRO } : { id })) };
  const isSame = quantity === line.quantity;
  const isTooFew = line.parts.some((each) => each.posted > each.per * getStock({ ...line, quantity }));
  const isOver = order.status === 'completed' || order.status === 'cancelled';
  const wrong = !isSame && (isTooFew || isOver) ? ['FIELD_LOCKED'] : [];
  const reply = await write(h, 'PATCH', `/v1/orders/${order.id}`, body, wrong, () => (isSame ? [] : [`order.updated ${order.id}`]));
  if (!reply) return;
  line.quantity = quantity;
  expectOrder(reply.body.data, order);
  if (!isSame) h.covered.add(`resize a line of ${order.module}`);
}

/** Removes a line, and adds one if the wish has one. */
export async function edit(h: History, order: Order, { line: index, add }: Wish<'edit'>): Promise<void> {
  const removed = at(order.lines, index);
  if (!removed || (add === null && order.lines.length === 1)) return;
  const kept = order.lines.filter((line) => line !== removed);
  const added = add === null ? undefined : planLine(h, order.module, add);
  const isOutstanding = OUTSTANDING.includes(order.status);
  const isReferenced = h.docs.some(
    ({ status, lines }) => status !== 'deleted' && lines.some(({ orderLineId }) => orderLineId === removed.id),
  );
  const wrong: string[] = [];
  if (added?.isTooSmall) wrong.push('VALIDATION_FAILED');
  const isUnfit = !canBeOpen(order.module, [...kept, ...(added ? [added.line] : [])]);
  if (isReferenced || (order.status !== 'draft' && !isOutstanding) || (isOutstanding && isUnfit)) wrong.push('FIELD_LOCKED');
  const body = { lines: [...kept.map(({ id }) => ({ id })), ...(added ? [added.body] : [])] };
  const reply = await write(h, 'PATCH', `/v1/orders/${order.id}`, body, wrong, () => [`order.updated ${order.id}`]);
  if (!reply) return;
  const { data } = reply.body;
  order.lines = [...kept, ...(added ? [{ id: data.lines.at(-1).id as string, ...added.line }] : [])];
  expectOrder(data, order);
  h.covered.add(`remove a line of ${order.module}`);
  if (added) h.covered.add(`add a line to ${order.module}`);
}
