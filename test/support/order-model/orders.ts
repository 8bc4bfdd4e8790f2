/** What histories do with orders. */
import { expect } from 'vitest';
import type { OrderModule } from '../../../src/contract/resources/orders.ts';
import { postDocument } from '../resources/stock.ts';
import {
  FITS,
  type History,
  type Model,
  ORDER_DATE,
  OUTSTANDING,
  WALK,
  WORKING,
  fits,
  getFulfilment,
  meant,
  needsOutside,
} from './model.ts';
import { dump, readTrace, write } from './write.ts';
import type { Contact, NewLine, Op, Patch } from './arbitraries.ts';

function lineBody({ w }: History, { quantity: count, price, tax, part }: NewLine, module: OrderModule) {
  const kind = module === 'make' ? (part ? 'component' : 'output') : undefined;
  return { ...(kind ? { kind } : {}), itemId: w.bolt, quantity: count, unitPrice: price === null ? null : price / 100, taxPercent: tax };
}

const getId = ({ s, w }: History, which: Contact): string => (which === 'house' ? s.tenant.houseContactId : w[which]);

export async function create(h: History, wish: Extract<Op, { what: 'create' }>): Promise<void> {
  const { module, status } = wish;
  const outside = meant(module, wish.contact);
  const lines = wish.lines.map((line) => lineBody(h, line, module));
  const wrong = new Set<string>();
  if (!FITS[module].includes(outside) || lines.some((line) => line.quantity % 1 !== 0)) wrong.add('VALIDATION_FAILED');
  if (status === 'open') {
    if (!fits(module, lines)) wrong.add('INVALID_TRANSITION');
    if (needsOutside(module, outside)) wrong.add('VALIDATION_FAILED');
  }
  const body = { module, status, contactId: getId(h, outside), orderDate: ORDER_DATE, dueDate: '2026-05-20', lines };
  const before = await readTrace(h);
  const reply = await write(h, 'POST', '/v1/orders', body, wrong);
  if (!reply) return;
  const { data } = reply.body;
  h.numbers[module] += 1;
  const prefixes = { buy: 'PO', sell: 'SO', make: 'MO', check: 'CO', fix: 'FO' };
  expect(data.orderNumber).toBe(`${prefixes[module]}-${String(h.numbers[module]).padStart(6, '0')}`);
  expect(await readTrace(h)).toEqual({
    events: [...before.events, `order.created ${data.id}`],
    actions: [...before.actions, `order.created ${data.id}`],
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

type Wish = Omit<Patch, 'contact'> & { readonly contact?: Contact };
type Line = Model['lines'][number];

interface LineChange {
  readonly lines: readonly Line[];
  readonly body: object[] | undefined;
  readonly isEdited: boolean;
}

export async function change(h: History, order: Model, asked: Patch): Promise<void> {
  const { contact: whom, ...others } = asked;
  const wish: Wish = { ...others, ...(whom ? { contact: meant(order.module, whom) } : {}) };
  const isNew = findNewFields(order, wish);
  const wrong = new Set<string>();
  addHeaderErrors(wrong, order, wish, isNew);
  const changed = changeLines(wrong, h, order, wish);
  addStatusErrors(wrong, order, wish, isNew, changed);
  const { lines: _, contact: __, ...rest } = wish;
  const wanted = {
    ...rest,
    ...(wish.contact ? { contactId: getId(h, wish.contact) } : {}),
    ...(changed.body ? { lines: changed.body } : {}),
  };
  const before = await readTrace(h);
  const reply = await write(h, 'PATCH', `/v1/orders/${order.id}`, wanted, wrong);
  if (!reply) return;
  const { data } = reply.body;
  const to = wish.status ?? order.status;
  const isHeaderNew = isNew.contact || isNew.dueDate || isNew.priority || isNew.notes;
  const actions = [
    ...(isHeaderNew ? ['order.updated'] : []),
    ...(changed.isEdited ? ['order.lines_replaced'] : []),
    ...(isNew.status ? [to === 'completed' || to === 'cancelled' ? `order.${to}` : 'order.status_changed'] : []),
  ];
  const now = await readTrace(h);
  // Adding to what was fulfilled, or taking the rest away, changes the fulfilment beside the lines.
  const isFulfilmentNew = data.fulfilment !== getFulfilment(order.lines);
  const extra = isFulfilmentNew && !isNew.status ? ['order.updated'] : [];
  expect(now.actions.slice(before.actions.length)).toEqual([...actions, ...extra].map((action) => `${action} ${order.id}`));
  expect(now.events.slice(before.events.length)).toEqual(actions.length > 0 ? [`order.updated ${order.id}`] : []);
  if (actions.length > 0) expect(data.updatedAt > order.updatedAt).toBe(true);
  else expect(data.updatedAt).toBe(order.updatedAt);
  const isFulfilled = isNew.status && to === 'completed' && wish.stock !== 'none';
  Object.assign(order, {
    status: to,
    contact: wish.contact ?? order.contact,
    dueDate: wish.dueDate ?? order.dueDate,
    priority: wish.priority ?? order.priority,
    notes: wish.notes === undefined ? order.notes : wish.notes,
    lines: changed.lines.map((line, at) => ({ ...line, id: data.lines[at].id, fulfilled: isFulfilled ? line.quantity : line.fulfilled })),
    updatedAt: data.updatedAt,
  } satisfies Partial<Model>);
}

const findNewFields = (order: Model, wish: Wish) => ({
  status: wish.status !== undefined && wish.status !== order.status,
  contact: wish.contact !== undefined && wish.contact !== order.contact,
  dueDate: wish.dueDate !== undefined && wish.dueDate !== order.dueDate,
  priority: wish.priority !== undefined && wish.priority !== order.priority,
  notes: wish.notes !== undefined && wish.notes !== order.notes,
});
type NewFields = ReturnType<typeof findNewFields>;

function addHeaderErrors(wrong: Set<string>, order: Model, wish: Wish, isNew: NewFields): void {
  const to = wish.status ?? order.status;
  const isUntouched = order.lines.every((line) => line.fulfilled === 0);
  if (isNew.contact && !(['draft', 'open'].includes(order.status) && isUntouched)) wrong.add('FIELD_LOCKED');
  if ((isNew.dueDate || isNew.priority) && !WORKING.includes(order.status)) wrong.add('FIELD_LOCKED');
  if (isNew.contact && !FITS[order.module].includes(wish.contact ?? 'house')) wrong.add('VALIDATION_FAILED');
  if (isNew.dueDate && (wish.dueDate ?? '') < ORDER_DATE) wrong.add('VALIDATION_FAILED');
  if (wish.stock && to !== 'completed') wrong.add('VALIDATION_FAILED');
  if (isNew.status && !WALK[order.status].includes(to)) wrong.add('INVALID_TRANSITION');
  const isBack = to === 'draft' || to === 'cancelled' || (to === 'open' && order.status !== 'draft');
  if (isNew.status && isBack && !isUntouched) wrong.add('ORDER_HAS_POSTED_STOCK');
}

function changeLines(wrong: Set<string>, h: History, order: Model, wish: Wish): LineChange {
  const { lines: wanted } = wish;
  if (!wanted) return { lines: order.lines, body: undefined, isEdited: false };
  const kept = order.lines.flatMap((line, at) => {
    const [keep, count] = wanted.keep[at] ?? [true, null];
    return keep ? [{ before: line, after: { ...line, quantity: count ?? line.quantity } }] : [];
  });
  const added = wanted.add.map((line) => lineBody(h, line, order.module));
  const body = [
    ...kept.map(({ after }) => ({ id: after.id, quantity: after.quantity })),
    ...added,
    ...(wanted.foreignId ? [{ id: h.w.bolt }] : []),
  ];
  const lines = [
    ...kept.map(({ after }) => after),
    ...added.map((line) => ({ id: '', kind: line.kind, quantity: line.quantity, fulfilled: 0 })),
  ];
  const isEdited =
    kept.length < order.lines.length || added.length > 0 || kept.some(({ before, after }) => before.quantity !== after.quantity);
  if (wanted.foreignId || lines.some((line) => line.quantity % 1 !== 0)) wrong.add('VALIDATION_FAILED');
  if (isEdited && !WORKING.includes(order.status)) wrong.add('FIELD_LOCKED');
  if (kept.some(({ after }) => after.quantity < after.fulfilled)) wrong.add('FIELD_LOCKED');
  if (order.lines.some((line) => line.fulfilled > 0 && !kept.some(({ before }) => before === line))) wrong.add('FIELD_LOCKED');
  return { lines, body, isEdited };
}

function addStatusErrors(wrong: Set<string>, order: Model, wish: Wish, isNew: NewFields, { lines, isEdited }: LineChange): void {
  const to = wish.status ?? order.status;
  const contact = wish.contact ?? order.contact;
  if (order.status === 'draft' && to === 'open') {
    if (!fits(order.module, lines)) wrong.add('INVALID_TRANSITION');
    if (needsOutside(order.module, contact)) wrong.add('VALIDATION_FAILED');
  }
  // Completing an order does not take a line away that it needs to be open.
  if (OUTSTANDING.includes(to) || to === 'completed') {
    if (isEdited && !fits(order.module, lines)) wrong.add('FIELD_LOCKED');
    if (isNew.contact && needsOutside(order.module, contact)) wrong.add('VALIDATION_FAILED');
  }
}

/** How the lines of a module are fulfilled in part. Lines of a repair without a kind are what is repaired; a component is only used up together with what is made of it. */
const DOCUMENTS: Partial<Record<OrderModule, object>> = { buy: { type: 'receipt' }, sell: { type: 'issue' }, make: { type: 'production' } };

/** Posts a document for a line. */
export async function fulfil(h: History, order: Model, at: number, count: number): Promise<void> {
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
export async function rewrite(h: History, order: Model): Promise<void> {
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
