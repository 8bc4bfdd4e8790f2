/**
 * Random histories of stock over the real store and real HTTP, against a model of its own: quantities, promises and states are told by the
 * model before each call, values are held to the invariants of the ledger. After every step what was refused has left nothing behind.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { made, orderWorld } from './orders.ts';
import { type Reply, type TestService, codeOf, startService } from './service.ts';
import { findProblems } from './stock.ts';

type Type = 'receipt' | 'issue' | 'transfer' | 'adjustment' | 'count' | 'production';
type Module = 'buy' | 'sell' | 'make' | 'fix';

interface Line {
  readonly item: string;
  readonly direction: 'in' | 'out' | null;
  /** Micro-units; signed on adjustments; what was counted on counts. */
  readonly quantity: number;
  readonly expected: number | null;
  readonly orderLineId: string | null;
}
interface Move {
  readonly place: string;
  readonly delta: number;
}
interface Doc {
  readonly id: string;
  readonly type: Type;
  readonly site: string;
  readonly to: string | null;
  readonly orderId: string | null;
  readonly lines: readonly Line[];
  status: 'draft' | 'submitted' | 'approved' | 'cancelled' | 'deleted';
  moves: readonly Move[];
}
interface Part {
  readonly item: string;
  readonly per: number;
  posted: number;
}
interface OrderLine {
  readonly id: string;
  readonly flow: 'committed' | 'incoming';
  readonly isCombo: boolean;
  quantity: number;
  readonly parts: readonly Part[];
}
interface Order {
  readonly id: string;
  readonly module: Module;
  status: string;
  readonly lines: readonly OrderLine[];
}

const MICRO = 1_000_000;
const OUTSTANDING = ['open', 'in_progress', 'waiting'];
const small = fc.integer({ min: 1, max: 9 });
const wishedLine = fc.record({
  item: fc.nat({ max: 2 }),
  quantity: small,
  cost: fc.option(fc.integer({ min: 0, max: 999 })),
  loss: fc.boolean(),
  stale: fc.constantFrom('none', 'right', 'wrong'),
});
const lines = fc.array(wishedLine, { minLength: 1, maxLength: 4 });
const types = fc.constantFrom<Type>('receipt', 'receipt', 'issue', 'transfer', 'adjustment', 'count', 'production');
const document = { type: types, site: fc.nat({ max: 1 }), lines, order: fc.option(fc.nat(), { freq: 2 }) };
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('draft' as const), ...document }) },
  { weight: 7, arbitrary: fc.record({ what: fc.constant('post' as const), ...document }) },
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('act' as const),
      at: fc.nat(),
      action: fc.constantFrom('submit', 'approve', 'approve', 'cancel', 'recall', 'delete'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant('order' as const),
      module: fc.constantFrom<Module>('buy', 'sell', 'make', 'fix'),
      isDraft: fc.boolean(),
      lines,
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      what: fc.constant('move' as const),
      at: fc.nat(),
      to: fc.constantFrom('open', 'draft', 'in_progress', 'completed', 'completed', 'completed', 'cancelled'),
      none: fc.nat({ max: 4 }).map((n) => n === 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('resize' as const), at: fc.nat(), line: fc.nat(), quantity: small }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('race' as const), item: fc.nat({ max: 2 }), site: fc.nat({ max: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('replay' as const), other: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('restart' as const) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
type Wish<W extends Operation['what']> = Extract<Operation, { what: W }>;

interface History {
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

const placeOf = (item: string, site: string): string => `${item} ${site}`;
/** Pieces are whole, the last item counts in kilograms. */
const micro = (h: History, item: string, quantity: number): number => (item === h.items[2] ? (quantity * MICRO) / 8 : quantity * MICRO);
const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(list.length, 1)];

async function dump({ s }: History): Promise<string> {
  return s.service.store.read(s.tenant.id, async (tx) => {
    const all = [
      tx.orders,
      tx.orderLines,
      tx.stockDocuments,
      tx.stockDocumentLines,
      tx.ledger,
      tx.stockLevels,
      tx.counters,
      tx.events,
      tx.auditEvents,
    ];
    return JSON.stringify(await Promise.all(all.map(async (table) => (await table.after({ limit: 100_000 })).rows)));
  });
}

type Events = (reply: Reply) => readonly string[];

/** Sends a write that must be refused with one of the codes or, when there are none, must succeed and be told by exactly these events. */
async function write(
  h: History,
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
  wrong: readonly string[],
  events: Events,
): Promise<Reply | undefined> {
  const key = `history-${String((h.count += 1))}`;
  const before = await dump(h);
  const told = (await h.s.events()).length;
  const reply = await h.s.call(method, path, { body, idempotencyKey: key });
  if (wrong.length > 0) {
    expect(wrong, reply.text).toContain(reply.status < 400 ? `status ${String(reply.status)}` : codeOf(reply));
    expect(await dump(h)).toBe(before);
    if (codeOf(reply) === 'INSUFFICIENT_STOCK') h.shortages = reply.body.error.details.shortages;
    return undefined;
  }
  expect(reply.status, reply.text).toBeLessThan(300);
  const fresh = (await h.s.events(told)).map(({ event, resourceId }) => `${event} ${resourceId}`);
  expect(fresh.toSorted()).toEqual([...events(reply)].toSorted());
  h.last = { method, path, body, key, reply };
  return reply;
}

const part = (each: Part, quantity: number): number => Math.max(0, each.per * quantity - each.posted);
const isPosted = (order: Order): boolean => order.lines.some((each) => each.parts.some(({ posted }) => posted > 0));

/** What moves, in net per place; `null` is what is made, which is not there yet when its parts are taken. */
function movesOf(h: History, type: Type, site: string, to: string | null, own: readonly Line[]): Move[] {
  return own.flatMap(({ item, quantity, direction }): Move[] => {
    const place = placeOf(item, site);
    if (type === 'receipt' || type === 'adjustment') return [{ place, delta: quantity }];
    if (type === 'issue') return [{ place, delta: -quantity }];
    if (type === 'transfer')
      return [
        { place, delta: -quantity },
        { place: placeOf(item, to ?? ''), delta: quantity },
      ];
    if (type === 'production') return [{ place, delta: direction === 'in' ? quantity : -quantity }];
    return [{ place, delta: quantity - (h.onHand.get(place) ?? 0) }];
  });
}

/** What is missing by place, when these moves happen at once. */
function shortagesOf(h: History, moves: readonly Move[], isProduction: boolean): Map<string, number> {
  const net = new Map<string, number>();
  for (const { place, delta } of moves) if (!(isProduction && delta > 0)) net.set(place, (net.get(place) ?? 0) + delta);
  const missing = new Map<string, number>();
  for (const [place, delta] of net) {
    const left = (h.onHand.get(place) ?? 0) + delta;
    if (!h.allow && delta < 0 && left < 0) missing.set(place, -left);
  }
  return missing;
}

function apply(h: History, moves: readonly Move[], sign: 1 | -1): void {
  for (const { place, delta } of moves) h.onHand.set(place, (h.onHand.get(place) ?? 0) + sign * delta);
}

/** A refusal for want of stock names every shortage, and nothing else. */
function checkShortages(h: History, missing: ReadonlyMap<string, number>): void {
  if (h.shortages === undefined) return;
  const told = h.shortages.map(({ itemId, siteId, missing: short }) => [placeOf(itemId, siteId), Math.round(short * MICRO)] as const);
  expect(new Map(told)).toEqual(missing);
  h.shortages = undefined;
}

const linePart = (order: Order | undefined, { orderLineId, item }: Line): { line: OrderLine; part: Part } | undefined => {
  const line = order?.lines.find(({ id }) => id === orderLineId);
  const found = line?.parts.find((each) => each.item === item);
  return line && found && { line, part: found };
};

async function draft(h: History, wish: Pick<Wish<'draft'>, 'type' | 'site' | 'lines' | 'order'>): Promise<Doc | undefined> {
  const site = h.sites[wish.site] ?? '';
  const open = wish.order === null ? [] : h.orders.filter(({ status }) => OUTSTANDING.includes(status));
  const order = wish.order === null ? undefined : at(open, wish.order);
  if (order) return draftFor(h, order, wish);
  const { type } = wish;
  const seen = new Set<number>();
  const own = wish.lines
    .filter(({ item }) => type !== 'count' || (!seen.has(item) && seen.add(item)))
    .map(({ item: index, quantity, loss, stale }): Line => {
      const item = h.items[index] ?? '';
      const amount = micro(h, item, quantity);
      const known = h.onHand.get(placeOf(item, site)) ?? 0;
      return {
        item,
        direction: type === 'production' ? (loss ? 'out' : 'in') : null,
        quantity: type === 'adjustment' && loss ? -amount : amount,
        expected: type !== 'count' || stale === 'none' || known < 0 ? null : stale === 'right' ? known : known + MICRO,
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
function draftFor(h: History, order: Order, wish: Pick<Wish<'draft'>, 'site' | 'lines'>): Promise<Doc | undefined> {
  const type = order.module === 'buy' ? 'receipt' : order.module === 'make' ? 'production' : 'issue';
  const wanted = order.lines.flatMap((each) => each.parts.map((of) => ({ each, of })));
  const own = wish.lines.flatMap((wished, index): Line[] => {
    const target = at(wanted, index);
    if (!target) return [];
    const direction = type !== 'production' ? null : target.each.flow === 'incoming' ? 'in' : 'out';
    return [
      { item: target.of.item, direction, quantity: micro(h, target.of.item, wished.quantity), expected: null, orderLineId: target.each.id },
    ];
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
    lines: doc.lines.map(({ item, direction, quantity, expected, orderLineId }, index) => ({
      itemId: item,
      ...(direction === null ? {} : { direction }),
      ...(doc.type === 'count' ? { countedQuantity: quantity / MICRO } : { quantity: quantity / MICRO }),
      ...(expected === null ? {} : { expectedQuantity: expected / MICRO }),
      ...(orderLineId === null ? {} : { orderLineId }),
      ...((doc.type === 'receipt' || doc.type === 'adjustment') && quantity > 0 && typeof costs[index] === 'number'
        ? { unitCost: costs[index] / 100 }
        : {}),
    })),
  };
  const reply = await write(h, 'POST', '/v1/stock-documents', body, [], ({ body: { data } }) => [
    `stock_document.created ${data.id as string}`,
  ]);
  if (!reply) return undefined;
  const stored: Doc = { ...doc, id: reply.body.data.id as string, status: 'draft', moves: [] };
  h.docs.push(stored);
  return stored;
}

const told = (doc: Doc): string => `stock_document.updated ${doc.id}`;

async function act(h: History, doc: Doc, action: Wish<'act'>['action']): Promise<void> {
  const path = `/v1/stock-documents/${doc.id}`;
  const order = h.orders.find(({ id }) => id === doc.orderId);
  const isOut = order !== undefined && !OUTSTANDING.includes(order.status);
  if (doc.status === 'deleted') return;
  if (action === 'delete') {
    const before = await dump(h);
    const { status } = await h.s.delete(path);
    expect(status).toBe(doc.status === 'draft' ? 204 : 409);
    if (status === 204) doc.status = 'deleted';
    else expect(await dump(h)).toBe(before);
  } else if (action === 'recall') {
    const wrong = doc.status === 'draft' || doc.status === 'submitted' ? [] : ['INVALID_STATE'];
    const events = doc.status === 'submitted' ? [told(doc)] : [];
    if (await write(h, 'PATCH', path, { status: 'draft' }, wrong, () => events)) doc.status = 'draft';
  } else if (action === 'submit') {
    const isLoss =
      doc.type === 'production' && doc.lines.every(({ direction, orderLineId }) => direction === 'out' && orderLineId === null);
    const wrong = doc.status !== 'draft' || isLoss || isOut || doc.lines.length === 0 ? ['INVALID_STATE'] : [];
    if (await write(h, 'POST', `${path}/submit`, {}, wrong, () => [told(doc)])) doc.status = 'submitted';
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
  return [...asked].every(
    ([
      each,
      {
        line: { quantity },
        sum,
      },
    ]) => each.posted + sum <= each.per * quantity,
  );
}

async function approve(h: History, doc: Doc, order: Order | undefined): Promise<void> {
  const wrong: string[] = [];
  const moves = movesOf(h, doc.type, doc.site, doc.to, doc.lines).filter(({ delta }) => delta !== 0);
  const missing = shortagesOf(h, moves, doc.type === 'production');
  if (doc.status !== 'submitted' || (order && (!OUTSTANDING.includes(order.status) || !fits(order, doc)))) wrong.push('INVALID_STATE');
  else {
    if (doc.lines.some(({ item, expected }) => expected !== null && expected !== (h.onHand.get(placeOf(item, doc.site)) ?? 0)))
      wrong.push('STALE_COUNT');
    else if (missing.size > 0) wrong.push('INSUFFICIENT_STOCK');
  }
  const events = [told(doc), ...(order ? [`order.updated ${order.id}`] : [])];
  const reply = await write(h, 'POST', `/v1/stock-documents/${doc.id}/approve`, {}, wrong, () => events);
  checkShortages(h, missing);
  if (!reply) return;
  done(h, doc, moves, order);
}

function done(h: History, doc: Doc, moves: readonly Move[], order: Order | undefined): void {
  apply(h, moves, 1);
  Object.assign(doc, { status: 'approved', moves });
  for (const each of doc.lines) {
    const found = linePart(order, each);
    if (found) found.part.posted += each.quantity;
  }
}

async function cancel(h: History, doc: Doc, order: Order | undefined): Promise<void> {
  const path = `/v1/stock-documents/${doc.id}/cancel`;
  if (doc.status !== 'approved') {
    const wrong = doc.status === 'cancelled' ? ['INVALID_STATE'] : [];
    if (await write(h, 'POST', path, { reason: 'wrong' }, wrong, () => [told(doc)])) doc.status = 'cancelled';
    return;
  }
  const missing = shortagesOf(
    h,
    doc.moves.map(({ place, delta }) => ({ place, delta: -delta })),
    false,
  );
  const events = [told(doc), ...(order ? [`order.updated ${order.id}`] : [])];
  const reply = await write(h, 'POST', path, {}, missing.size > 0 ? ['INSUFFICIENT_STOCK'] : [], () => events);
  checkShortages(h, missing);
  if (!reply) return;
  apply(h, doc.moves, -1);
  doc.status = 'cancelled';
  for (const each of doc.lines) {
    const found = linePart(order, each);
    if (found) found.part.posted -= each.quantity;
  }
  if (order?.status === 'completed') order.status = 'in_progress';
}

async function createOrder(h: History, { module, isDraft, lines: wished }: Wish<'order'>): Promise<void> {
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

async function moveOrder(h: History, order: Order, { to, none }: Wish<'move'>): Promise<void> {
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
  const moves = movesOf(h, type, site, null, remaining);
  const missing = shortagesOf(h, moves, type === 'production');
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
    ...withdrawn.map(told),
    ...freshDocuments(each).map((id) => `stock_document.created ${id}`),
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

async function resize(h: History, order: Order, wish: Wish<'resize'>): Promise<void> {
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

/** Two issues of all there is, approved at once: with `block` one of them gets it. */
async function race(h: History, wish: Wish<'race'>): Promise<void> {
  const [item, site] = [h.items[wish.item] ?? '', h.sites[wish.site] ?? ''];
  const quantity = h.onHand.get(placeOf(item, site)) ?? 0;
  if (quantity <= 0 || h.allow) return;
  const rivals: Doc[] = [];
  for (let each = 0; each < 2; each += 1) {
    const doc = await store(
      h,
      { type: 'issue', site, to: null, orderId: null, lines: [{ item, direction: null, quantity, expected: null, orderLineId: null }] },
      [],
    );
    if (!doc) return;
    await act(h, doc, 'submit');
    rivals.push(doc);
  }
  const replies = await Promise.all(rivals.map(({ id }) => h.s.post(`/v1/stock-documents/${id}/approve`, {})));
  expect(replies.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
  for (const [index, doc] of rivals.entries()) {
    if (replies[index]?.status === 200) done(h, doc, movesOf(h, 'issue', site, null, doc.lines), undefined);
    else expect(replies[index] && codeOf(replies[index])).toBe('INSUFFICIENT_STOCK');
  }
}

async function replay(h: History, other: boolean): Promise<void> {
  if (!h.last) return;
  const { path, method, body, key, reply } = h.last;
  const before = await dump(h);
  const again = await h.s.call(method, path, { idempotencyKey: key, body: other ? { ...body, notes: 'something else' } : body });
  if (other) expect(['CONFLICT', 'VALIDATION_FAILED']).toContain(codeOf(again));
  else expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([reply.status, reply.text, 'true']);
  expect(await dump(h)).toBe(before);
}

/** What orders and submitted documents ask for by place, as the model knows it. */
function claimsOf(h: History): Map<string, { committed: number; incoming: number }> {
  const claims = new Map<string, { committed: number; incoming: number }>();
  const add = (place: string, flow: 'committed' | 'incoming', quantity: number) => {
    const claim = claims.get(place) ?? { committed: 0, incoming: 0 };
    claims.set(place, { ...claim, [flow]: claim[flow] + quantity });
  };
  for (const order of h.orders.filter(({ status }) => OUTSTANDING.includes(status))) {
    for (const each of order.lines)
      for (const of of each.parts) add(placeOf(of.item, h.sites[0] ?? ''), each.flow, part(of, each.quantity));
  }
  for (const doc of h.docs.filter(({ status }) => status === 'submitted')) {
    if (doc.type === 'count') continue;
    for (const { place, delta } of movesOf(
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
function fulfilledOf({ quantity, parts, isCombo }: OrderLine): number {
  if (parts.every((each) => each.posted >= each.per * quantity)) return quantity;
  return isCombo
    ? Math.min(...parts.map((each) => Math.floor(Math.min(each.posted, each.per * quantity) / each.per)))
    : (parts[0]?.posted ?? 0);
}

/** Everything that must be true of what is stored, whatever happened. */
async function examine(h: History): Promise<void> {
  const found = await h.s.service.store.read(h.s.tenant.id, async (tx) => ({
    levels: (await tx.stockLevels.after({ limit: 10_000 })).rows,
    ledger: (await tx.ledger.after({ orderBy: 'seq', limit: 100_000 })).rows,
    docs: (await tx.stockDocuments.after({ limit: 10_000 })).rows,
    orders: (await tx.orders.after({ limit: 10_000 })).rows,
    lines: (await tx.orderLines.after({ limit: 100_000 })).rows,
  }));
  const claims = claimsOf(h);
  const rows = new Map(found.levels.map((row) => [row.id, row]));
  for (const place of new Set([...rows.keys(), ...claims.keys(), ...h.onHand.keys()])) {
    const { onHand = 0, committed = 0, incoming = 0, available = 0, projected = 0, stockValue = 0 } = rows.get(place) ?? {};
    const { committed: promised, incoming: expected } = claims.get(place) ?? { committed: 0, incoming: 0 };
    expect({ place, onHand, committed, incoming }).toEqual({
      place,
      onHand: h.onHand.get(place) ?? 0,
      committed: promised,
      incoming: expected,
    });
    expect([available, projected]).toEqual([onHand - committed, onHand - committed + incoming]);
    const entries = found.ledger.filter((entry) => placeOf(entry.itemId, entry.siteId) === place);
    expect(entries.reduce((sum, { quantityDelta }) => sum + quantityDelta, 0)).toBe(onHand);
    expect(entries.reduce((sum, { valueDelta }) => sum + valueDelta, 0)).toBe(stockValue);
    expect(entries.at(-1)?.onHandAfter ?? 0).toBe(onHand);
    if (onHand === 0) expect(stockValue).toBe(0);
    if (!h.allow) expect(onHand).toBeGreaterThanOrEqual(0);
    if (onHand > 0) expect(stockValue).toBeGreaterThanOrEqual(0);
  }
  expect(found.ledger.map(({ seq }) => seq)).toEqual(found.ledger.map((_, index) => index + 1));
  const texts = found.ledger.map((entry) => JSON.stringify(entry));
  expect(texts.slice(0, h.ledger.length)).toEqual(h.ledger);
  h.ledger = texts;
  for (const entry of found.ledger)
    for (const value of Object.values(entry)) if (typeof value === 'number') expect(Number.isSafeInteger(value)).toBe(true);
  expect(new Map(found.docs.map(({ id, status }) => [id, status]))).toEqual(
    new Map(h.docs.filter(({ status }) => status !== 'deleted').map(({ id, status }) => [id, status])),
  );
  for (const { id, type, reversedAt } of found.docs) {
    const entries = found.ledger.filter((entry) => entry.documentId === id && entry.reversalOf === null);
    const value = entries.reduce((sum, { valueDelta }) => sum + valueDelta, 0);
    if (type === 'transfer' && !h.allow) expect(value).toBe(0);
    if (reversedAt !== null) expect(found.ledger.filter((entry) => entry.documentId === id)).toHaveLength(entries.length * 2);
  }
  expect(new Map(found.orders.map(({ id, status }) => [id, status]))).toEqual(new Map(h.orders.map(({ id, status }) => [id, status])));
  const stored = new Map(found.lines.map((each) => [each.id, [each.quantity, each.fulfilledQuantity]]));
  expect(stored).toEqual(new Map(h.orders.flatMap((order) => order.lines.map((each) => [each.id, [each.quantity, fulfilledOf(each)]]))));
  for (const order of found.orders.filter(({ status }) => status === 'completed')) {
    expect(order.closedShort || found.lines.every((each) => each.orderId !== order.id || each.fulfilledQuantity === each.quantity)).toBe(
      true,
    );
  }
}

/** What the steps before have made of it, which the compiler cannot see. */
const statusOf = ({ status }: Doc): Doc['status'] => status;

/** Approving and reversing at once leaves quantity and value as they were (invariant 8). */
async function thereAndBack(h: History, wish: Wish<'post'>): Promise<void> {
  const values = async () =>
    h.s.service.store.read(h.s.tenant.id, async (tx) =>
      Object.fromEntries(
        (await tx.stockLevels.after({ limit: 10_000 })).rows
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
  if (!h.allow && statusOf(doc) === 'cancelled') expect(await values()).toEqual(before);
}

async function step(h: History, wish: Operation): Promise<void> {
  if (wish.what === 'draft') await draft(h, wish);
  else if (wish.what === 'post') {
    const doc = await draft(h, wish);
    if (!doc) return;
    await act(h, doc, 'submit');
    if (doc.status === 'submitted') await act(h, doc, 'approve');
    if (wish.lines.length === 1) await thereAndBack(h, wish);
  } else if (wish.what === 'order') await createOrder(h, wish);
  else if (wish.what === 'race') await race(h, wish);
  else if (wish.what === 'replay') await replay(h, wish.other);
  else if (wish.what === 'restart') {
    const before = await dump(h);
    await h.s.restart();
    expect(await dump(h)).toBe(before);
  } else if (wish.what === 'act') {
    const doc = at(h.docs, wish.at);
    if (doc) await act(h, doc, wish.action);
  } else {
    const order = at(h.orders, wish.at);
    if (!order) return;
    if (wish.what === 'move') await moveOrder(h, order, wish);
    else await resize(h, order, wish);
  }
}

async function begin(s: TestService, allow: boolean): Promise<History> {
  const w = await orderWorld(s);
  const item = (body: object) => made(s.post('/v1/items', body));
  const [cup, coffee] = [
    await item({ name: 'Cup', unitId: w.pcs, purchasePrice: 1.1 }),
    await item({ name: 'Beans', unitId: w.kg, purchasePrice: 7.77 }),
  ];
  const combo = await item({ name: 'Set', itemType: 'combo' });
  await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: w.bolt, quantity: 2 }));
  await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: cup, quantity: 1 }));
  if (allow) await s.service.store.transact(s.tenant.id, (tx) => tx.tenants.put({ ...s.tenant, negativeStock: 'allow' }));
  return {
    s,
    allow,
    items: [w.bolt, cup, coffee],
    combo,
    sites: [s.tenant.defaultSiteId, w.site],
    contacts: { buy: w.supplier, sell: w.customer, make: s.tenant.houseContactId, fix: w.customer },
    onHand: new Map(),
    docs: [],
    orders: [],
    ledger: [],
    shortages: undefined,
    last: undefined,
    count: 0,
  };
}

/** Runs that many random histories of that many steps; the same ones for the same seed. */
export async function stockHistories(options: { readonly seed: number; readonly numRuns: number; readonly steps: number }): Promise<void> {
  const { seed, numRuns, steps } = options;
  const wishes = fc.array(operation, { minLength: steps, maxLength: steps * 2, size: 'max' });
  await fc.assert(
    fc.asyncProperty(wishes, fc.integer({ min: 0, max: 3 }), async (ops, policy) => {
      await using s = await startService();
      const h = await begin(s, policy === 0);
      for (const wish of ops) {
        await step(h, wish);
        await examine(h);
      }
      expect(await findProblems(s)).toEqual([]);
    }),
    { seed, numRuns, endOnFailure: true },
  );
}
