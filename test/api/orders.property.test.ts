/**
 * Random histories of orders over the real store and real HTTP, against a model that knows only the tables of D-2 and D-5.
 * After every step: what was refused left nothing, what was done is exactly what the model says, and the invariants of D §9 hold.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ORDER_MODULES, ORDER_STATUSES, type OrderModule, type OrderStatus } from '../../src/contract/orders.ts';
import { type OrderWorld, orderWorld } from '../support/orders.ts';
import { postDocument, stockUp } from '../support/stock.ts';
import { auditRows } from '../support/trace.ts';
import { type Reply, type TestService, codeOf, startService } from '../support/service.ts';

const WALK: Record<OrderStatus, readonly OrderStatus[]> = {
  draft: ['open', 'cancelled'],
  open: ['draft', 'in_progress', 'waiting', 'completed', 'cancelled'],
  in_progress: ['open', 'waiting', 'completed', 'cancelled'],
  waiting: ['open', 'in_progress', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
};
const WORKING: readonly OrderStatus[] = ['draft', 'open', 'in_progress', 'waiting'];
const OUTSTANDING = WORKING.slice(1);
const ORDER_DATE = '2026-05-10';

interface ModelLine {
  id: string;
  kind: string | undefined;
  quantity: number;
  fulfilled: number;
}
interface Model {
  id: string;
  module: OrderModule;
  status: OrderStatus;
  contact: Contact;
  dueDate: string;
  priority: string;
  notes: string | null;
  lines: ModelLine[];
  updatedAt: string;
}
type Contact = 'customer' | 'supplier' | 'house';
const FITS: Record<OrderModule, readonly Contact[]> = {
  buy: ['supplier', 'house'],
  sell: ['customer', 'house'],
  make: ['customer', 'supplier', 'house'],
  check: ['customer', 'supplier', 'house'],
  fix: ['customer', 'house'],
};
/** A wish for the right contact is the one that the module needs. */
const meant = (module: OrderModule, wish: Contact | 'right'): Contact =>
  wish !== 'right' ? wish : module === 'buy' ? 'supplier' : 'customer';
const needsOutside = (module: OrderModule, contact: Contact) => contact === 'house' && (module === 'buy' || module === 'sell');

// Wishes: what a caller might send. Some are wrong always, many are wrong in some status.
const quantity = fc.oneof({ weight: 30, arbitrary: fc.integer({ min: 1, max: 9 }) }, { weight: 1, arbitrary: fc.constant(0.5) });
const newLine = fc.record({
  quantity,
  price: fc.option(fc.integer({ min: 0, max: 99_999 })),
  tax: fc.constantFrom(0, 6, 23),
  part: fc.boolean(),
});
const contact = fc.constantFrom<Contact | 'right'>('right', 'right', 'right', 'right', 'customer', 'supplier', 'house');
const wishes = {
  status: fc.constantFrom(...ORDER_STATUSES),
  contact,
  dueDate: fc.constantFrom('2026-05-09', '2026-05-10', '2026-06-01', '2026-06-02'),
  priority: fc.constantFrom('low', 'urgent'),
  notes: fc.constantFrom('a', 'b', null),
  stock: fc.constantFrom('auto' as const, 'none' as const),
  lines: fc.record({
    keep: fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }).map(Boolean), fc.option(quantity)), { maxLength: 5 }),
    add: fc.array(newLine, { maxLength: 2 }),
    stranger: fc.integer({ min: 0, max: 12 }).map((at) => at === 0),
  }),
};
const anything = fc.record(wishes, { requiredKeys: [] });
const patch = fc.oneof(
  { weight: 1, arbitrary: anything },
  ...(['status', 'contact', 'dueDate', 'priority', 'notes', 'lines'] as const).map((field) => ({
    weight: field === 'lines' ? 4 : 1,
    arbitrary: anything.map((each): typeof each => (each[field] === undefined ? {} : { [field]: each[field] })),
  })),
  {
    weight: 1,
    arbitrary: fc.record(
      { status: fc.constant('completed' as const), stock: wishes.stock, lines: wishes.lines },
      { requiredKeys: ['status'] },
    ),
  },
);
// Steps along the walk keep histories alive; wishes at random would cancel most orders at once.
const step = fc
  .constantFrom<OrderStatus>('open', 'open', 'in_progress', 'in_progress', 'waiting', 'completed', 'cancelled', 'draft')
  .map((status) => ({ status }));
const op = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('create' as const),
      module: fc.constantFrom(...ORDER_MODULES),
      contact,
      status: fc.constantFrom('draft' as const, 'open' as const),
      lines: fc.array(newLine, { maxLength: 4 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ what: fc.constant('patch' as const), at: fc.nat(), patch }) },
  { weight: 5, arbitrary: fc.record({ what: fc.constant('patch' as const), at: fc.nat(), patch: step }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('same' as const), at: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('fulfil' as const), at: fc.nat(), line: fc.nat(), quantity: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('replay' as const), other: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('sync' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('restart' as const) }) },
);
type Patch = typeof anything extends fc.Arbitrary<infer T> ? T : never;
type NewLine = typeof newLine extends fc.Arbitrary<infer T> ? T : never;
type Op = typeof op extends fc.Arbitrary<infer T> ? T : never;

interface History {
  readonly s: TestService;
  readonly w: OrderWorld;
  readonly orders: Model[];
  readonly numbers: Record<OrderModule, number>;
  /** What a client knows that asks only for what changed since it last asked. */
  readonly mirror: Map<string, string>;
  seen: string;
  last: { path: string; method: 'POST' | 'PATCH'; body: object; key: string; reply: Reply } | undefined;
  count: number;
}

const begin = (s: TestService, w: OrderWorld): History => ({
  s,
  w,
  orders: [],
  numbers: { buy: 0, sell: 0, make: 0, check: 0, fix: 0 },
  mirror: new Map(),
  seen: '2000-01-01T00:00:00.000Z',
  last: undefined,
  count: 0,
});

/** Everything that a refused request must leave as it was. */
const dump = ({ s }: History): Promise<string> =>
  s.service.store.read(s.tenant.id, async (tx) => {
    const stock = [tx.stockDocuments, tx.stockDocumentLines, tx.ledger, tx.stockLevels];
    const tables = [tx.orders, tx.orderLines, tx.counters, tx.events, tx.auditEvents, tx.contacts, tx.items, ...stock];
    return JSON.stringify(await Promise.all(tables.map(async (table) => (await table.after({ limit: 100_000 })).rows)));
  });

/** What stock documents tell beside is held against a model of its own, in stock.property.test.ts. */
const ofOrders = (told: readonly string[]): string[] => told.filter((each) => each.startsWith('order.'));

async function toldBy({ s }: History): Promise<{ events: string[]; actions: string[] }> {
  const events = await s.events();
  expect(events.map(({ position }) => position)).toEqual(events.map((_, at) => at + 1));
  const audit = await auditRows(s);
  return {
    events: ofOrders(events.map(({ event, resourceId }) => `${event} ${resourceId}`)),
    actions: ofOrders(audit.map(({ action, resourceId }) => `${action} ${resourceId}`)),
  };
}

/** Sends a write that must be refused with one of the codes, or, when there are none, must succeed. */
async function write(
  h: History,
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
  refusals: ReadonlySet<string>,
): Promise<Reply | undefined> {
  const key = `history-${String((h.count += 1))}`;
  const before = await dump(h);
  const reply = await h.s.call(method, path, { body, idempotencyKey: key });
  if (refusals.size > 0) {
    expect([...refusals], reply.text).toContain(reply.status < 400 ? `status ${String(reply.status)}` : codeOf(reply));
    expect(await dump(h)).toBe(before);
    return undefined;
  }
  expect(reply.status, reply.text).toBe(method === 'POST' ? 201 : 200);
  expect(JSON.parse(JSON.stringify(reply.body))).toEqual(reply.body);
  h.last = { path, method, body, key, reply };
  return reply;
}

function lineBody({ w }: History, { quantity: count, price, tax, part }: NewLine, module: OrderModule) {
  const kind = module === 'make' ? (part ? 'component' : 'output') : undefined;
  return { ...(kind ? { kind } : {}), itemId: w.bolt, quantity: count, unitPrice: price === null ? null : price / 100, taxPercent: tax };
}

const idOf = ({ s, w }: History, which: Contact): string => (which === 'house' ? s.tenant.houseContactId : w[which]);

const fits = (module: OrderModule, lines: readonly { kind?: string | undefined }[]) =>
  lines.length > 0 &&
  (module !== 'make' || (lines.some(({ kind }) => kind === 'output') && lines.some(({ kind }) => kind === 'component')));

async function create(h: History, wish: Extract<Op, { what: 'create' }>): Promise<void> {
  const { module, status } = wish;
  const outside = meant(module, wish.contact);
  const lines = wish.lines.map((line) => lineBody(h, line, module));
  const wrong = new Set<string>();
  if (!FITS[module].includes(outside) || lines.some((line) => line.quantity % 1 !== 0)) wrong.add('VALIDATION_FAILED');
  if (status === 'open') {
    if (!fits(module, lines)) wrong.add('INVALID_TRANSITION');
    if (needsOutside(module, outside)) wrong.add('VALIDATION_FAILED');
  }
  const body = { module, status, contactId: idOf(h, outside), orderDate: ORDER_DATE, dueDate: '2026-05-20', lines };
  const told = await toldBy(h);
  const reply = await write(h, 'POST', '/v1/orders', body, wrong);
  if (!reply) return;
  const { data } = reply.body;
  h.numbers[module] += 1;
  const prefixes = { buy: 'PO', sell: 'SO', make: 'MO', check: 'CO', fix: 'FO' };
  expect(data.orderNumber).toBe(`${prefixes[module]}-${String(h.numbers[module]).padStart(6, '0')}`);
  expect(await toldBy(h)).toEqual({
    events: [...told.events, `order.created ${data.id}`],
    actions: [...told.actions, `order.created ${data.id}`],
  });
  const { id, updatedAt } = data;
  h.orders.push({
    id,
    module,
    status,
    contact: outside,
    dueDate: '2026-05-20',
    priority: 'normal',
    notes: null,
    lines: lines.map((line, at) => ({ id: data.lines[at].id, kind: line.kind, quantity: line.quantity, fulfilled: 0 })),
    updatedAt,
  });
}

async function change(h: History, order: Model, asked: Patch): Promise<void> {
  const { contact: whom, ...others } = asked;
  const wish = { ...others, ...(whom ? { contact: meant(order.module, whom) } : {}) };
  const wrong = new Set<string>();
  const to = wish.status ?? order.status;
  const untouched = order.lines.every((line) => line.fulfilled === 0);
  const isNew = {
    status: to !== order.status,
    contact: wish.contact !== undefined && wish.contact !== order.contact,
    dueDate: wish.dueDate !== undefined && wish.dueDate !== order.dueDate,
    priority: wish.priority !== undefined && wish.priority !== order.priority,
    notes: wish.notes !== undefined && wish.notes !== order.notes,
  };
  if (isNew.contact && !(['draft', 'open'].includes(order.status) && untouched)) wrong.add('FIELD_LOCKED');
  if ((isNew.dueDate || isNew.priority) && !WORKING.includes(order.status)) wrong.add('FIELD_LOCKED');
  if (isNew.contact && !FITS[order.module].includes(wish.contact ?? 'house')) wrong.add('VALIDATION_FAILED');
  if (isNew.dueDate && (wish.dueDate ?? '') < ORDER_DATE) wrong.add('VALIDATION_FAILED');
  if (wish.stock && to !== 'completed') wrong.add('VALIDATION_FAILED');
  if (isNew.status && !WALK[order.status].includes(to)) wrong.add('INVALID_TRANSITION');
  const back = to === 'draft' || to === 'cancelled' || (to === 'open' && order.status !== 'draft');
  if (isNew.status && back && !untouched) wrong.add('ORDER_HAS_POSTED_STOCK');

  let lines = order.lines;
  let body: object[] | undefined;
  let edited = false;
  if (wish.lines) {
    const kept = order.lines.flatMap((line, at) => {
      const [keep, count] = wish.lines?.keep[at] ?? [true, null];
      return keep ? [{ before: line, after: { ...line, quantity: count ?? line.quantity } }] : [];
    });
    const added = wish.lines.add.map((line) => lineBody(h, line, order.module));
    body = [
      ...kept.map(({ after }) => ({ id: after.id, quantity: after.quantity })),
      ...added,
      ...(wish.lines.stranger ? [{ id: h.w.bolt }] : []),
    ];
    lines = [
      ...kept.map(({ after }) => after),
      ...added.map((line) => ({ id: '', kind: line.kind, quantity: line.quantity, fulfilled: 0 })),
    ];
    edited = kept.length < order.lines.length || added.length > 0 || kept.some(({ before, after }) => before.quantity !== after.quantity);
    if (wish.lines.stranger || lines.some((line) => line.quantity % 1 !== 0)) wrong.add('VALIDATION_FAILED');
    if (edited && !WORKING.includes(order.status)) wrong.add('FIELD_LOCKED');
    if (kept.some(({ after }) => after.quantity < after.fulfilled)) wrong.add('FIELD_LOCKED');
    if (order.lines.some((line) => line.fulfilled > 0 && !kept.some(({ before }) => before === line))) wrong.add('FIELD_LOCKED');
  }
  const contactNow = wish.contact ?? order.contact;
  if (order.status === 'draft' && to === 'open') {
    if (!fits(order.module, lines)) wrong.add('INVALID_TRANSITION');
    if (needsOutside(order.module, contactNow)) wrong.add('VALIDATION_FAILED');
  }
  if (OUTSTANDING.includes(to)) {
    if (edited && !fits(order.module, lines)) wrong.add('FIELD_LOCKED');
    if (isNew.contact && needsOutside(order.module, contactNow)) wrong.add('VALIDATION_FAILED');
  }

  const { lines: _, contact: __, ...rest } = wish;
  const wanted = { ...rest, ...(wish.contact ? { contactId: idOf(h, wish.contact) } : {}), ...(body ? { lines: body } : {}) };
  const told = await toldBy(h);
  const reply = await write(h, 'PATCH', `/v1/orders/${order.id}`, wanted, wrong);
  if (!reply) return;
  const { data } = reply.body;
  const header = isNew.contact || isNew.dueDate || isNew.priority || isNew.notes;
  const actions = [
    ...(header ? ['order.updated'] : []),
    ...(edited ? ['order.lines_replaced'] : []),
    ...(isNew.status ? [to === 'completed' || to === 'cancelled' ? `order.${to}` : 'order.status_changed'] : []),
  ];
  const now = await toldBy(h);
  const fresh = now.actions.slice(told.actions.length);
  // Adding to what was fulfilled, or taking the rest away, changes the fulfilment beside the lines.
  const fulfilment = data.fulfilment !== fulfilmentOf(order.lines);
  const extra = fulfilment && !isNew.status ? ['order.updated'] : [];
  expect(fresh).toEqual([...actions, ...extra].map((action) => `${action} ${order.id}`));
  expect(now.events.slice(told.events.length)).toEqual(actions.length > 0 ? [`order.updated ${order.id}`] : []);
  if (actions.length > 0) expect(data.updatedAt > order.updatedAt).toBe(true);
  else expect(data.updatedAt).toBe(order.updatedAt);
  const done = isNew.status && to === 'completed' && wish.stock !== 'none';
  Object.assign(order, {
    status: to,
    contact: contactNow,
    dueDate: wish.dueDate ?? order.dueDate,
    priority: wish.priority ?? order.priority,
    notes: wish.notes === undefined ? order.notes : wish.notes,
    lines: lines.map((line, at) => ({ ...line, id: data.lines[at].id, fulfilled: done ? line.quantity : line.fulfilled })),
    updatedAt: data.updatedAt,
  } satisfies Partial<Model>);
}

const fulfilmentOf = (lines: readonly Pick<ModelLine, 'quantity' | 'fulfilled'>[]): string =>
  lines.every((line) => line.fulfilled === 0) ? 'none' : lines.every((line) => line.fulfilled >= line.quantity) ? 'full' : 'partial';

/** How the lines of a module are fulfilled in part. Lines of a repair without a kind are what is repaired; a component is only used up together with what is made of it. */
const DOCUMENTS: Partial<Record<OrderModule, object>> = { buy: { type: 'receipt' }, sell: { type: 'issue' }, make: { type: 'production' } };

/** Posts a document for a line. */
async function fulfil(h: History, order: Model, at: number, count: number): Promise<void> {
  const line = order.lines[at % Math.max(order.lines.length, 1)];
  const document = DOCUMENTS[order.module];
  if (!line || !document || !OUTSTANDING.includes(order.status) || line.kind === 'component') return;
  const part = Math.min(line.quantity - line.fulfilled, count);
  if (part === 0) return;
  const direction = order.module === 'make' ? { direction: 'in' } : {};
  await postDocument(h.s, {
    ...document,
    orderId: order.id,
    lines: [{ itemId: h.w.bolt, quantity: part, orderLineId: line.id, ...direction }],
  });
  line.fulfilled += part;
  order.updatedAt = (await h.s.get(`/v1/orders/${order.id}`)).body.data.updatedAt;
}

/** Writing what is there already: nothing moves. */
async function rewrite(h: History, order: Model): Promise<void> {
  const before = await dump(h);
  const { data } = (await h.s.get(`/v1/orders/${order.id}?include=lines`)).body;
  const { status, contactId, orderDate, dueDate, siteId, priority, assignedTo, notes, reference, sourceOrderId, cancelReason } = data;
  const lines = data.lines.map((line: Record<string, unknown>) => {
    const {
      id,
      kind,
      itemId,
      description,
      quantity: count,
      unitId,
      unitPrice,
      discountPercent,
      taxPercent,
      siteId: site,
      notes: text,
    } = line;
    return { id, kind, itemId, description, quantity: count, unitId, unitPrice, discountPercent, taxPercent, siteId: site, notes: text };
  });
  const fields = { status, contactId, orderDate, dueDate, siteId, priority, assignedTo, notes, reference, sourceOrderId, cancelReason };
  for (const body of [{}, { ...fields, lines }]) {
    const reply = await h.s.patch(`/v1/orders/${order.id}`, body);
    expect(reply.body, reply.text).toEqual({ data });
  }
  expect(await dump(h)).toBe(before);
}

async function replay(h: History, other: boolean): Promise<void> {
  if (!h.last) return;
  const { path, method, body, key, reply } = h.last;
  const before = await dump(h);
  const again = await h.s.call(method, path, { idempotencyKey: key, body: other ? { ...body, notes: 'something else' } : body });
  if (other) expect(codeOf(again)).toBe('CONFLICT');
  else expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([reply.status, reply.text, 'true']);
  expect(await dump(h)).toBe(before);
}

/** Asks for what changed since the last time, as a client that keeps a copy does. */
async function sync(h: History): Promise<void> {
  const since = h.seen;
  for (const module of ORDER_MODULES) {
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { body } = await h.s.get(`/v1/orders?module=${module}&updated_since=${since}&sort=updated_at&page=${String(page)}&page_size=3`);
      pages = body.pagination.totalPages as number;
      for (const row of body.data) {
        h.mirror.set(row.id, `${row.status as string} ${row.updatedAt as string}`);
        if (row.updatedAt > h.seen) h.seen = row.updatedAt;
      }
    }
  }
  expect(Object.fromEntries(h.mirror)).toEqual(
    Object.fromEntries(h.orders.map((order) => [order.id, `${order.status} ${order.updatedAt}`])),
  );
}

/** Everything that must be true of what is stored, whatever happened. */
async function examine(h: History): Promise<void> {
  const { orders, lines } = await h.s.service.store.read(h.s.tenant.id, async (tx) => ({
    orders: (await tx.orders.after({ limit: 10_000 })).rows,
    lines: (await tx.orderLines.after({ limit: 100_000 })).rows,
  }));
  expect(new Set(orders.map((order) => order.orderNumber.toLowerCase())).size).toBe(h.orders.length);
  expect(lines.filter((line) => !orders.some((order) => order.id === line.orderId))).toEqual([]);
  for (const order of orders) {
    const own = lines.filter((line) => line.orderId === order.id).sort((a, b) => a.lineNumber - b.lineNumber);
    const model = h.orders.find((each) => each.id === order.id);
    expect([order.status, order.updatedAt, order.dueDate, order.priority, order.notes]).toEqual([
      model?.status,
      model?.updatedAt,
      model?.dueDate,
      model?.priority,
      model?.notes,
    ]);
    expect(own.map((line) => [line.id, line.quantity / 1_000_000, line.fulfilledQuantity / 1_000_000])).toEqual(
      model?.lines.map((line) => [line.id, line.quantity, line.fulfilled]),
    );
    expect(own.map((line) => line.lineNumber)).toEqual(own.map((_, at) => at + 1));
    expect(order.total).toBe(own.reduce((sum, line) => sum + line.lineTotal, 0));
    expect(order.lineCount).toBe(own.length);
    expect(order.fulfilment).toBe(
      fulfilmentOf(own.map(({ quantity: all, fulfilledQuantity: fulfilled }) => ({ quantity: all, fulfilled }))),
    );
    if (order.status === 'completed') expect(order.closedShort || own.every((line) => line.fulfilledQuantity === line.quantity)).toBe(true);
    for (const record of [order, ...own]) {
      for (const value of Object.values(record)) if (typeof value === 'number') expect(Number.isSafeInteger(value)).toBe(true);
    }
    for (const line of own) expect(line.fulfilledQuantity >= 0 && line.fulfilledQuantity <= line.quantity).toBe(true);
  }
}

/** Walking the pages of a list that nobody changes shows each order once. */
async function walk(h: History, key: string): Promise<void> {
  for (const module of ORDER_MODULES) {
    const ids: string[] = [];
    let total = 0;
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { body } = await h.s.get(`/v1/orders?module=${module}&page=${String(page)}&page_size=2&sort=priority`);
      pages = body.pagination.totalPages as number;
      total = body.pagination.total as number;
      ids.push(...body.data.map((row: { id: string }) => row.id));
    }
    const mine = h.orders.filter((order) => order.module === module).map((order) => order.id);
    expect([ids.toSorted(), total]).toEqual([mine.toSorted(), mine.length]);
  }
  for (const { id } of h.orders.slice(0, 2)) expect((await h.s.get(`/v1/orders/${id}`, { key })).status).toBe(404);
}

test('every history of orders is what the model says', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 20, maxLength: 45, size: 'max' }), async (ops) => {
      await using s = await startService();
      const h = begin(s, await orderWorld(s));
      // What runs out is told in stock.property.test.ts.
      await stockUp(s, [{ itemId: h.w.bolt, quantity: 100_000 }]);
      const stranger = await s.addKey({ tenantId: (await s.addTenant('stranger')).id });
      for (const wish of ops) {
        const order = 'at' in wish ? h.orders[wish.at % Math.max(h.orders.length, 1)] : undefined;
        if (wish.what === 'create') await create(h, wish);
        else if (wish.what === 'replay') await replay(h, wish.other);
        else if (wish.what === 'sync') await sync(h);
        else if (wish.what === 'restart') {
          const before = await dump(h);
          await s.restart();
          expect(await dump(h)).toBe(before);
        } else if (!order) continue;
        else if (wish.what === 'patch') await change(h, order, wish.patch);
        else if (wish.what === 'same') await rewrite(h, order);
        else await fulfil(h, order, wish.line, wish.quantity);
      }
      await examine(h);
      await sync(h);
      await walk(h, stranger);
    }),
    { seed: 20_261_121, numRuns: 15, endOnFailure: true },
  );
});
