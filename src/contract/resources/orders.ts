/** Orders in five modules. C-2; the bodies are D-3 to D-8. */
import { NOTES_MAX_CHARS, ORDER_LINES_MAX, ORDER_NUMBER_MAX_CHARS, REASON_MAX_CHARS, REFERENCE_MAX_CHARS } from '../limits.ts';
import { externalFields, externalIdFilter, returnedExternalFields } from '../external-fields.ts';
import { extension, idsFilter, queryBoolean, listQuery, single, defineOperation, paginated } from '../operation.ts';
import { lineDraft, linePatch, orderLine } from './order-lines.ts';
import { dryRun, stockEffectWithUnit } from './stock-effects.ts';
import { type Infer, describe, t } from '../schema/builder.ts';

export const ORDER_MODULES = ['buy', 'sell', 'make', 'check', 'fix'] as const;
export type OrderModule = (typeof ORDER_MODULES)[number];
/** In the list of orders: those of every module. */
export const ALL_MODULES = 'all';
export const ORDER_STATUSES = ['draft', 'open', 'in_progress', 'waiting', 'completed', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];
/** Statuses in which an order counts as committed or incoming stock. */
export const OUTSTANDING_STATUSES: readonly OrderStatus[] = ['open', 'in_progress', 'waiting'];
export const isOutstanding = (status: OrderStatus): boolean => OUTSTANDING_STATUSES.includes(status);
/** The statuses to which an order with a status can change (D-2). */
export const ORDER_TRANSITIONS: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  draft: ['open', 'cancelled'],
  open: ['draft', 'in_progress', 'waiting', 'completed', 'cancelled'],
  in_progress: ['open', 'waiting', 'completed', 'cancelled'],
  waiting: ['open', 'in_progress', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
};
/** In ascending order of urgency (D-3). */
export const ORDER_PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;
export type OrderPriority = (typeof ORDER_PRIORITIES)[number];
export const FULFILMENTS = ['none', 'partial', 'full'] as const;
export type Fulfilment = (typeof FULFILMENTS)[number];
/** Stock effect of completing an order: post the remaining quantities, or close the order short without posting (D-6). */
export const STOCK_OPTIONS = ['auto', 'none'] as const;
export type StockOption = (typeof STOCK_OPTIONS)[number];

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
  assignedTo: t.nullable(t.id('user')),
  contact: t.object({ id: t.uuid(), name: t.string() }),
  site: t.nullable(t.object({ id: t.uuid(), name: t.string() })),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
  ...returnedExternalFields(),
};

const TOTALS_ONLY = 'With include=totals or details.';
const DETAILS_ONLY = 'With include=details.';

/** A list row: exactly the fields of the contract, and on request what a list of orders is read for. */
export const order = t.component('Order', {
  ...orderFields,
  contact: t.object({ id: t.uuid(), name: t.string(), company: t.optional(extension(t.string(), TOTALS_ONLY)) }),
  fulfilment: t.optional(extension(t.enums(FULFILMENTS), TOTALS_ONLY)),
  total: t.optional(extension(t.number(), TOTALS_ONLY)),
  currency: t.optional(extension(t.string(), TOTALS_ONLY)),
  subtotal: t.optional(extension(t.number(), TOTALS_ONLY)),
  discountTotal: t.optional(extension(t.number(), TOTALS_ONLY)),
  taxTotal: t.optional(extension(t.number(), TOTALS_ONLY)),
  completedAt: t.optional(extension(t.nullable(t.timestamp()), TOTALS_ONLY)),
  notes: t.optional(extension(t.nullable(t.string()), DETAILS_ONLY)),
  reference: t.optional(extension(t.nullable(t.string()), DETAILS_ONLY)),
  sourceOrderId: t.optional(extension(t.nullable(t.id('order')), DETAILS_ONLY)),
  lineCount: t.optional(extension(t.int({ min: 0 }), DETAILS_ONLY)),
  closedShort: t.optional(extension(t.bool(), DETAILS_ONLY)),
  cancelledAt: t.optional(extension(t.nullable(t.timestamp()), DETAILS_ONLY)),
  cancelReason: t.optional(extension(t.nullable(t.string()), DETAILS_ONLY)),
  stockDocumentIds: t.optional(extension(t.array(t.id('stockDocument')), DETAILS_ONLY)),
  returnDocumentIds: t.optional(extension(t.array(t.id('stockDocument')), DETAILS_ONLY)),
  lines: t.optional(extension(t.array(orderLine), 'With include=lines.')),
});
export type Order = Infer<typeof order>;

/** A single order: the list row plus further fields (D-3). */
export const orderDetail = t.component('OrderDetail', {
  ...orderFields,
  contact: t.object({ id: t.uuid(), name: t.string(), company: t.string() }),
  notes: t.nullable(t.string()),
  reference: t.nullable(t.string()),
  sourceOrderId: t.nullable(t.id('order')),
  currency: t.string(),
  subtotal: describe(t.number(), 'Sum of lineSubtotal. Totals are in the minor unit of the currency.'),
  discountTotal: describe(t.number(), 'Sum of lineDiscount.'),
  taxTotal: describe(t.number(), 'Sum of lineTax.'),
  total: describe(t.number(), 'Sum of lineTotal.'),
  lineCount: t.int({ min: 0 }),
  fulfilment: t.enums(FULFILMENTS),
  closedShort: t.bool(),
  completedAt: t.nullable(t.timestamp()),
  cancelledAt: t.nullable(t.timestamp()),
  cancelReason: t.nullable(t.string()),
  stockDocumentIds: t.array(t.id('stockDocument')),
  returnDocumentIds: describe(
    t.optional(t.array(t.id('stockDocument'))),
    'Stock documents of returns, if there are any, including reversed ones.',
  ),
  lines: describe(t.optional(t.array(orderLine)), 'Included in responses to POST, PATCH and GET with include=lines.'),
  stockEffects: t.optional(extension(t.array(stockEffectWithUnit), 'Included in dry runs: the change in stock per item and site.')),
  cancelledDocuments: describe(
    t.optional(t.array(t.object({ id: t.uuid(), documentNumber: t.string() }))),
    'Included in the response to the PATCH that completes or cancels the order: its stock documents that were not posted, and are cancelled with it.',
  ),
});
export type OrderDetail = Infer<typeof orderDetail>;

const headerFields = {
  contactId: describe(
    t.optional(t.id('contact')),
    'Contact of the order; buy and sell orders need a supplier or customer to open. Default: on check orders the contact of the source order, else the house contact, which stands for the tenant itself.',
  ),
  orderDate: describe(t.optional(t.date()), "Date of the order. Default: today in the tenant's time zone."),
  dueDate: describe(
    t.optional(t.date()),
    "Due date, not before the order date. Default: order date plus the tenant's default lead days, on buy orders also the suppliers' lead times.",
  ),
  siteId: describe(t.optional(t.nullable(t.id('site'))), "Site of the order. Without one, or with null: the tenant's default site."),
  assignedTo: describe(t.optional(t.nullable(t.id('user'))), 'Id of an active or invited user of the tenant.'),
  notes: t.optional(t.nullable(t.multiline(NOTES_MAX_CHARS))),
  reference: describe(t.optional(t.nullable(t.lineOrEmpty(REFERENCE_MAX_CHARS))), "The other party's reference number."),
  sourceOrderId: describe(t.optional(t.nullable(t.id('order'))), 'Check and fix orders: order that is inspected or repaired.'),
  ...externalFields(),
};

export const orderDraft = t.object({
  module: describe(t.enums(ORDER_MODULES), 'Module of the order.'),
  orderNumber: describe(
    t.optional(
      t.string({
        min: 1,
        max: ORDER_NUMBER_MAX_CHARS,
        pattern: '^[A-Za-z0-9._/-]+$',
        hint: `1 to ${String(ORDER_NUMBER_MAX_CHARS)} letters, digits, dots, underscores, slashes and hyphens`,
      }),
    ),
    "Order number, for imports; unique within the tenant, ignoring case. Default: the module's next number.",
  ),
  status: t.withDefault(t.enums(['draft', 'open']), 'draft'),
  priority: describe(t.withDefault(t.enums(ORDER_PRIORITIES), 'normal'), 'Priority of the order.'),
  ...headerFields,
  lines: t.withDefault(t.array(lineDraft, { max: ORDER_LINES_MAX }), []),
});
export type OrderDraft = Infer<typeof orderDraft>;

export const orderPatch = t.object({
  status: describe(t.optional(t.enums(ORDER_STATUSES)), 'New status.'),
  priority: describe(t.optional(t.enums(ORDER_PRIORITIES)), 'Priority of the order.'),
  ...headerFields,
  cancelReason: describe(t.optional(t.nullable(t.multiline(REASON_MAX_CHARS))), 'Reason for cancelling; only with status cancelled.'),
  stock: describe(
    t.optional(t.enums(STOCK_OPTIONS)),
    'Stock effect of status completed: auto (default) fulfils the remaining quantities, none closes the order short.',
  ),
  lines: describe(
    t.optional(t.array(linePatch, { max: ORDER_LINES_MAX })),
    'If present, the complete set of lines: an element with id updates that line, one without id adds a line, lines not listed are removed.',
  ),
});
export type OrderPatch = Infer<typeof orderPatch>;

const orderParams = t.object({ order_id: t.id('order') });
const EXAMPLE_ID = '0197a3c0-5b1e-7c33-9a51-3f2b9d6c1e70';
const ORDER_ERRORS = ['INVALID_STATE', 'INVALID_TRANSITION', 'INACTIVE_REFERENCE', 'INVALID_ITEM_TYPE', 'DUPLICATE_VALUE'] as const;

export const listOrders = defineOperation('orders.list', 'GET', '/v1/orders', {
  scope: 'orders:read',
  summary: 'List the orders of a module, or all',
  query: t.object({
    module: describe(t.extendedEnums([...ORDER_MODULES, ALL_MODULES], [ALL_MODULES]), 'Module of the orders; as an extension, `all`.'),
    status: describe(t.optional(t.csv(t.enums(ORDER_STATUSES))), 'Only these statuses, joined by commas.'),
    ...listQuery(['-created_at', 'order_number', 'due_date', 'priority', 'updated_at']),
    id: idsFilter('order'),
    order_number: t.optional(
      extension(t.csv(t.string({ max: ORDER_NUMBER_MAX_CHARS })), 'Only orders with these numbers, joined by commas.'),
    ),
    external_id: externalIdFilter(),
    completed_since: t.optional(extension(t.timestamp(), 'Only orders completed at or after this time.')),
    completed_until: t.optional(extension(t.timestamp(), 'Only orders completed before this time.')),
    contact_id: t.optional(extension(t.csv(t.id('contact')), 'Only these contacts, joined by commas.')),
    site_id: t.optional(extension(t.csv(t.id('site')), 'Only orders at these sites, joined by commas.')),
    assigned_to: t.optional(extension(t.csv(t.id('user')), 'Only these users, joined by commas.')),
    priority: t.optional(extension(t.csv(t.enums(ORDER_PRIORITIES)), 'Only these priorities, joined by commas.')),
    item_id: t.optional(extension(t.csv(t.id('item')), 'Only orders with a line of one of these items, joined by commas.')),
    due_before: t.optional(extension(t.date(), 'Only orders due before this day.')),
    due_after: t.optional(extension(t.date(), 'Only orders due after this day.')),
    overdue: t.optional(
      extension(
        queryBoolean(),
        "true: only open, in_progress and waiting orders that were due before today in the tenant's time zone; false: all others.",
      ),
    ),
    include: t.optional(
      extension(
        t.csv(t.enums(['totals', 'details', 'lines'])),
        'totals: adds totals, currency, fulfilment, time of completion and the company of the contact to each row; details: all fields of a single order; lines: its lines.',
      ),
    ),
  }),
  result: paginated(order),
  example: { query: { module: 'sell', status: 'open' } },
});

export const createOrder = defineOperation('orders.create', 'POST', '/v1/orders', {
  scope: 'orders:write',
  summary: 'Create an order with its lines',
  query: dryRun,
  body: orderDraft,
  status: 201,
  result: single(orderDetail),
  errors: [...ORDER_ERRORS, 'INSUFFICIENT_STOCK', 'LIMIT_REACHED'],
  example: {
    body: {
      module: 'sell',
      contactId: '0197a3c0-1111-7c33-9a51-3f2b9d6c1e70',
      status: 'open',
      lines: [{ itemId: '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e', quantity: 12, unitPrice: 0.35, taxPercent: 23 }],
    },
  },
});

export const getOrder = defineOperation('orders.get', 'GET', '/v1/orders/{order_id}', {
  scope: 'orders:read',
  summary: 'Get an order',
  params: orderParams,
  query: t.object({ include: t.optional(extension(t.csv(t.enums(['lines'])), 'Include the lines.')) }),
  result: single(orderDetail),
  example: { params: { order_id: EXAMPLE_ID }, query: { include: 'lines' } },
});

export const updateOrder = defineOperation('orders.update', 'PATCH', '/v1/orders/{order_id}', {
  scope: 'orders:write',
  summary: 'Update an order, its lines or its status',
  description: 'Omitted fields are unchanged.',
  params: orderParams,
  query: dryRun,
  body: orderPatch,
  result: single(orderDetail),
  errors: [...ORDER_ERRORS, 'FIELD_LOCKED', 'ORDER_HAS_POSTED_STOCK', 'INSUFFICIENT_STOCK', 'LIMIT_REACHED', 'PRECONDITION_FAILED'],
  example: { params: { order_id: EXAMPLE_ID }, body: { status: 'completed' } },
});

export const orderOperations = [listOrders, createOrder, getOrder, updateOrder] as const;
