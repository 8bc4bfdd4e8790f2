/** What histories do with orders. */
import { expect } from 'vitest';
import type { Reply } from '../service/service.ts';
import {
  type Doc,
  type History,
  type Line,
  MICRO,
  type Order,
  type OrderLine,
  at,
  done,
  isPosted,
  micro,
  getMoves,
  part,
  getShortages,
  getUpdate,
} from './model.ts';
import type { Type, Wish } from './arbitraries.ts';
import { checkShortages, write } from './write.ts';

export async function createOrder(h: History, { module, isDraft, lines: wished }: Wish<'order'>): Promise<void> {
  const status = isDraft ? 'draft' : 'open';
  const body = {
    module,
    status,
    contactId: h.contacts[module],
    lines: wished.map(({ item: index, quantity, cost, loss }) => {
      const isCombo = module === 'sell' && loss;
      const itemId = isCombo ? h.combo : (h.items[index] ?? '');
      const kind = module === 'make' ? (loss ? 'component' : 'output') : module === 'fix' ? 'part' : 'item';
      return {
        kind,
        itemId,
        quantity: isCombo ? quantity : micro(h, itemId, quantity) / MICRO,
        ...(cost === null ? {} : { unitPrice: cost / 100 }),
      };
    }),
  };
  const kinds = body.lines.map(({ kind }) => kind);
  const isUnfit = module === 'make' && !(kinds.includes('output') && kinds.includes('component'));
  const wrong = !isDraft && isUnfit ? ['INVALID_TRANSITION'] : [];
  const reply = await write(h, 'POST', '/v1/orders', body, wrong, ({ body: { data } }) => [`order.created ${data.id as string}`]);
  if (!reply) return;
  const { data } = reply.body;
  const ids = data.lines.map(({ id }: { id: string }) => id) as string[];
  const own = body.lines.map(({ kind, itemId, quantity }, index): OrderLine => {
    const isCombo = itemId === h.combo;
    const parts = isCombo
      ? [
          { item: h.items[0] ?? '', per: 2, posted: 0 },
          { item: h.items[1] ?? '', per: 1, posted: 0 },
        ]
      : [{ item: itemId, per: 1, posted: 0 }];
    const flow = module === 'buy' || kind === 'output' ? 'incoming' : 'committed';
    return { id: ids[index] ?? '', flow, isCombo, quantity: quantity * MICRO, parts };
  });
  h.orders.push({ id: data.id as string, module, status, lines: own });
}

const WALK: Readonly<Record<string, readonly string[]>> = {
  draft: ['open', 'cancelled'],
  open: ['draft', 'in_progress', 'completed', 'cancelled'],
  in_progress: ['open', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

export async function moveOrder(h: History, order: Order, { to, none }: Wish<'move'>): Promise<void> {
  const isMoved = to !== order.status;
  const wrong: string[] = [];
  if (isMoved && !WALK[order.status]?.includes(to)) wrong.push('INVALID_TRANSITION');
  const back = to === 'draft' || to === 'cancelled' || (to === 'open' && order.status !== 'draft');
  if (isMoved && back && isPosted(order)) wrong.push('ORDER_HAS_POSTED_STOCK');
  const flows = order.lines.map(({ flow }) => flow);
  if (order.module === 'make' && to === 'open' && order.status === 'draft' && !(flows.includes('committed') && flows.includes('incoming')))
    wrong.push('INVALID_TRANSITION');
  const posts = isMoved && to === 'completed' && !none;
  const rest = order.lines.flatMap((each) =>
    each.parts.map((of): Line => {
      const direction = order.module !== 'make' ? null : each.flow === 'incoming' ? 'in' : 'out';
      return { item: of.item, direction, quantity: part(of, each.quantity), expected: null, orderLineId: each.id };
    }),
  );
  const remaining = posts ? rest.filter(({ quantity }) => quantity > 0) : [];
  const type: Type = order.module === 'buy' ? 'receipt' : order.module === 'make' ? 'production' : 'issue';
  const site = h.sites[0] ?? '';
  const moves = getMoves(h, type, site, null, remaining);
  const missing = getShortages(h, moves, type === 'production');
  if (wrong.length === 0 && missing.size > 0) wrong.push('INSUFFICIENT_STOCK');
  const withdrawn =
    isMoved && to === 'cancelled'
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
}

export async function resize(h: History, order: Order, wish: Wish<'resize'>): Promise<void> {
  const line = at(order.lines, wish.line);
  if (!line) return;
  const quantity = line.isCombo ? wish.quantity * MICRO : micro(h, line.parts[0]?.item ?? '', wish.quantity);
  const body = { lines: order.lines.map(({ id }) => (id === line.id ? { id, quantity: quantity / MICRO } : { id })) };
  const isSame = quantity === line.quantity;
  const isTooFew = line.parts.some((each) => each.posted > each.per * quantity);
  const isOver = order.status === 'completed' || order.status === 'cancelled';
  const wrong = !isSame && (isTooFew || isOver) ? ['FIELD_LOCKED'] : [];
  if (await write(h, 'PATCH', `/v1/orders/${order.id}`, body, wrong, () => (isSame ? [] : [`order.updated ${order.id}`])))
    line.quantity = quantity;
}
