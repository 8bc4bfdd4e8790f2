/** Orders in five modules. Contract part 2; the bodies are D-3 to D-8. */
import { NOTES_MAX_CHARS, ORDER_LINES_MAX, ORDER_NUMBER_MAX_CHARS, REASON_MAX_CHARS, REFERENCE_MAX_CHARS } from './limits.ts';
import { extension, flag, listQuery, one, operation, pageOf } from './operation.ts';
import { lineDraft, linePatch, orderLine } from './order-lines.ts';
import { type AnySchema, type Infer, t } from './schema.ts';

export const ORDER_MODULES = ['buy', 'sell', 'make', 'check', 'fix'] as const;
export type OrderModule = (typeof ORDER_MODULES)[number];
export const ORDER_STATUSES = ['draft', 'open', 'in_progress', 'waiting', 'completed', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];
/** By rank, the least urgent first (D-3). */
export const ORDER_PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;
export type OrderPriority = (typeof ORDER_PRIORITIES)[number];
export const FULFILMENTS = ['none', 'partial', 'full'] as const;
export type Fulfilment = (typeof FULFILMENTS)[number];
/** What completing does to stock: post what remains, or close the order short without posting (D-6). */
export const STOCK_OPTIONS = ['auto', 'none'] as const;
export type StockOption = (typeof STOCK_OPTIONS)[number];

const about = <S extends AnySchema>(schema: S, description: string): S => t.about(schema, { description });

const orderFields = {
  id: t.uuid(),
  module: t.enums(ORDER_MODULES),
  orderNumber: t.string(),
  status: t.enums(ORDER_STATUSES),
  contactId: t.uuid(),
  orderDate: t.date(),
  dueDate: t.date(),
  siteId: t.nullable(t.uuid()),
  priority: t.enums(ORDER_PRIORITIES),
  assignedTo: t.nullable(t.uuid()),
  contact: t.object({ id: t.uuid(), name: t.string() }),
  site: t.nullable(t.object({ id: t.uuid(), name: t.string() })),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
};

/** A row of the list: exactly the fields of the contract. */
export const order = t.about(t.object(orderFields), { name: 'Order' });
export type Order = Infer<typeof order>;

/** What single replies add (D-3). */
export const orderDetail = t.about(
  t.object({
    ...orderFields,
    notes: t.nullable(t.string()),
    reference: t.nullable(t.string()),
    sourceOrderId: t.nullable(t.uuid()),
    currency: t.string(),
    subtotal: t.number(),
    discountTotal: t.number(),
    taxTotal: t.number(),
    total: t.number(),
    lineCount: t.int({ min: 0 }),
    fulfilment: t.enums(FULFILMENTS),
    closedShort: t.bool(),
    completedAt: t.nullable(t.timestamp()),
    cancelledAt: t.nullable(t.timestamp()),
    cancelReason: t.nullable(t.string()),
    stockDocumentIds: t.array(t.uuid()),
    lines: about(t.optional(t.array(orderLine)), 'In replies to POST and PATCH, and to GET with include=lines.'),
  }),
  { name: 'OrderDetail' },
);
export type OrderDetail = Infer<typeof orderDetail>;

const headerFields = {
  contactId: about(
    t.optional(t.uuid()),
    "Default: on check orders the contact of the source order, else the tenant's own company. Buy and sell orders need a supplier or customer before they open.",
  ),
  orderDate: about(t.optional(t.date()), "Default: today in the tenant's time zone."),
  dueDate: about(
    t.optional(t.date()),
    'Default: the order date plus the lead days of the tenant, on buy also those of the suppliers. Not before the order date.',
  ),
  siteId: about(t.optional(t.nullable(t.uuid())), "Null: the tenant's default site."),
  assignedTo: about(t.optional(t.nullable(t.uuid())), 'A user of the tenant, active or invited.'),
  notes: t.optional(t.nullable(t.notes(NOTES_MAX_CHARS))),
  reference: t.optional(t.nullable(t.maybeEmpty(REFERENCE_MAX_CHARS))),
  sourceOrderId: about(t.optional(t.nullable(t.uuid())), 'Check and fix orders: the order that this one inspects or repairs.'),
};

export const orderDraft = t.object({
  module: t.enums(ORDER_MODULES),
  orderNumber: about(
    t.optional(
      t.string({
        min: 1,
        max: ORDER_NUMBER_MAX_CHARS,
        pattern: '^[A-Za-z0-9._/-]+$',
        hint: `1 to ${String(ORDER_NUMBER_MAX_CHARS)} letters, digits, dots, underscores, slashes and hyphens`,
      }),
    ),
    'For imports; unique within the tenant, whatever its case. Default: the next number of the module.',
  ),
  status: t.withDefault(t.enums(['draft', 'open']), 'draft'),
  priority: t.withDefault(t.enums(ORDER_PRIORITIES), 'normal'),
  ...headerFields,
  lines: t.withDefault(t.array(lineDraft, { max: ORDER_LINES_MAX }), []),
});
export type OrderDraft = Infer<typeof orderDraft>;

export const orderPatch = t.object({
  status: t.optional(t.enums(ORDER_STATUSES)),
  priority: t.optional(t.enums(ORDER_PRIORITIES)),
  ...headerFields,
  cancelReason: about(t.optional(t.nullable(t.notes(REASON_MAX_CHARS))), 'Together with status cancelled.'),
  stock: about(
    t.optional(t.enums(STOCK_OPTIONS)),
    'Together with status completed: auto (default) fulfils what remains, none closes the order short.',
  ),
  lines: about(
    t.optional(t.array(linePatch, { max: ORDER_LINES_MAX })),
    'Absent: untouched. Present: the wanted full set; an element with id changes that line, one without adds a line, a line not listed is removed.',
  ),
});
export type OrderPatch = Infer<typeof orderPatch>;

const orderParams = t.object({ order_id: t.uuid() });
const EXAMPLE_ID = '0197a3c0-5b1e-7c33-9a51-3f2b9d6c1e70';
const REFUSALS = ['INVALID_TRANSITION', 'INACTIVE_REFERENCE', 'INVALID_ITEM_TYPE', 'DUPLICATE_VALUE'] as const;

export const listOrders = operation({
  id: 'orders.list',
  method: 'GET',
  path: '/v1/orders',
  scope: 'orders:read',
  summary: 'List the orders of a module',
  query: t.object({
    module: t.enums(ORDER_MODULES),
    status: about(t.optional(t.csv(t.enums(ORDER_STATUSES))), 'Only these statuses, joined by commas.'),
    ...listQuery(['-created_at', 'order_number', 'due_date', 'priority', 'updated_at']),
    contact_id: t.optional(extension(t.csv(t.uuid()), 'Only these contacts, joined by commas.')),
    site_id: t.optional(extension(t.csv(t.uuid()), 'Only orders that name these sites, joined by commas.')),
    assigned_to: t.optional(extension(t.csv(t.uuid()), 'Only these users, joined by commas.')),
    priority: t.optional(extension(t.csv(t.enums(ORDER_PRIORITIES)), 'Only these priorities, joined by commas.')),
    item_id: t.optional(extension(t.csv(t.uuid()), 'Only orders with a line of one of these items, joined by commas.')),
    due_before: t.optional(extension(t.date(), 'Only orders due before this day.')),
    due_after: t.optional(extension(t.date(), 'Only orders due after this day.')),
    overdue: t.optional(
      extension(flag(), "True: only open, in_progress and waiting orders due before today (in the tenant's time zone); false: all others."),
    ),
  }),
  status: 200,
  result: pageOf(order),
  example: { query: { module: 'sell', status: 'open' } },
});

export const createOrder = operation({
  id: 'orders.create',
  method: 'POST',
  path: '/v1/orders',
  scope: 'orders:write',
  summary: 'Create an order with its lines',
  body: orderDraft,
  status: 201,
  result: one(orderDetail),
  errors: [...REFUSALS, 'INSUFFICIENT_STOCK', 'LIMIT_REACHED'],
  example: {
    body: {
      module: 'sell',
      contactId: '0197a3c0-1111-7c33-9a51-3f2b9d6c1e70',
      status: 'open',
      lines: [{ itemId: '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e', quantity: 12, unitPrice: 0.35, taxPercent: 23 }],
    },
  },
});

export const getOrder = operation({
  id: 'orders.get',
  method: 'GET',
  path: '/v1/orders/{order_id}',
  scope: 'orders:read',
  summary: 'Read an order',
  params: orderParams,
  query: t.object({ include: t.optional(extension(t.csv(t.enums(['lines'])), 'Also send the lines.')) }),
  status: 200,
  result: one(orderDetail),
  example: { params: { order_id: EXAMPLE_ID }, query: { include: 'lines' } },
});

export const updateOrder = operation({
  id: 'orders.update',
  method: 'PATCH',
  path: '/v1/orders/{order_id}',
  scope: 'orders:write',
  summary: 'Change an order, its lines or its status; fields left out stay as they are',
  params: orderParams,
  body: orderPatch,
  status: 200,
  result: one(orderDetail),
  errors: [...REFUSALS, 'FIELD_LOCKED', 'ORDER_HAS_POSTED_STOCK', 'INSUFFICIENT_STOCK', 'LIMIT_REACHED', 'PRECONDITION_FAILED'],
  example: { params: { order_id: EXAMPLE_ID }, body: { status: 'completed' } },
});

export const orderOperations = [listOrders, createOrder, getOrder, updateOrder] as const;
