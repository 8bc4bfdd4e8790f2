/** The `data` of each event. C-6 gives the events of webhooks; the fields are D-23. */
import { USER_ROLES } from './resources/setting-records.ts';
import { ACTOR_TYPES } from './resources/audit.ts';
import { CONTACT_TYPES } from './resources/contacts.ts';
import { DIMENSIONS } from './resources/setting-records.ts';
import type { ChangeEvent } from './change-events.ts';
import { ITEM_TYPES } from './resources/items.ts';
import { STOCK_EFFECTS_MAX } from './limits.ts';
import { ORDER_MODULES, ORDER_PRIORITIES, ORDER_STATUSES } from './resources/orders.ts';
import { type ObjectSpec, type Shape, describe, t } from './schema/builder.ts';
import { PLANS, SCOPES } from './scopes.ts';
import { DOCUMENT_STATUSES, DOCUMENT_TYPES } from './resources/stock-documents.ts';
import { stockEffect } from './resources/stock-effects.ts';

/** Fields of every event that the service records. */
const common = {
  id: t.annotate(t.uuid(), { description: 'Id of the record that changed.' }),
  eventId: describe(t.uuid(), 'Identical in every delivery of the event, including retries and resends: use it to deduplicate.'),
  sequence: t.extension(
    t.annotate(t.int({ min: 1 }), {
      description:
        'Grows by one with each event of the organization, in the order of the commits: of two events of a record the higher one is newer.',
      example: 1_284,
    }),
  ),
  position: t.annotate(t.int({ min: 1 }), { description: 'The same as `sequence`, for receivers of earlier releases.', example: 1_284 }),
  occurredAt: t.timestamp(),
  updatedAt: t.annotate(t.timestamp(), {
    description: 'Version of the record after the change, as `updatedAt` in the API; when it was deleted, for a deleted one.',
  }),
  actor: t.object({ type: t.enums(ACTOR_TYPES), id: t.string() }),
  changes: describe(t.array(t.string()), 'Names of the changed fields; empty for a new record, `deleted` for a deleted one.'),
} as const;

const deletedAt = t.annotate(t.optional(t.timestamp()), { description: 'When the record was deleted.' });
/** Changes of stock levels. A copy kept from them has the quantities of `GET /v1/stock-levels`. */
const getEffects = (description: string) => ({
  stockEffects: t.annotate(t.optional(t.array(stockEffect, { max: STOCK_EFFECTS_MAX })), { description }),
  stockEffectsTruncated: t.annotate(t.optional(t.bool()), {
    description: `True if more than ${String(STOCK_EFFECTS_MAX)} levels changed: read the others from the API.`,
    example: true,
  }),
});

const item = {
  name: t.string(),
  sku: t.nullable(t.string()),
  itemType: t.enums(ITEM_TYPES),
  isActive: t.bool(),
  deletedAt,
};
const order = {
  module: t.enums(ORDER_MODULES),
  status: t.enums(ORDER_STATUSES),
  orderNumber: t.string(),
  contactId: t.uuid(),
  siteId: t.nullable(t.uuid()),
  priority: t.enums(ORDER_PRIORITIES),
  orderDate: t.date(),
  dueDate: t.date(),
  total: t.number(),
  lineCount: t.int({ min: 0 }),
  previousStatus: t.annotate(t.optional(t.enums(ORDER_STATUSES)), { description: 'Status before the change; only if the status changed.' }),
  ...getEffects('Levels whose available quantity changed without a movement of stock.'),
};
const contact = {
  name: t.string(),
  company: t.string(),
  contactType: t.enums(CONTACT_TYPES),
  isActive: t.bool(),
  deletedAt,
};
const document = {
  type: t.enums(DOCUMENT_TYPES),
  status: t.enums(DOCUMENT_STATUSES),
  documentNumber: t.string(),
  siteId: t.uuid(),
  toSiteId: t.nullable(t.uuid()),
  orderId: t.nullable(t.uuid()),
  returnOf: t.annotate(t.optional(t.uuid()), { description: 'Returns only: the order whose goods are returned.' }),
  lineCount: t.int({ min: 0 }),
  previousStatus: describe(t.optional(t.enums(DOCUMENT_STATUSES)), 'Status before the change; only if the status changed.'),
  ...getEffects('Levels whose quantity on hand or available quantity changed.'),
  deletedAt,
};

const levelKey = {
  id: t.annotate(t.string(), { description: 'The ids of item and site, joined by a colon.' }),
  itemId: t.uuid(),
  siteId: t.uuid(),
};
const stockLevel = {
  ...levelKey,
  onHand: t.number(),
  committed: t.number(),
  incoming: t.number(),
  available: t.number(),
  projected: t.number(),
  averageCost: t.nullable(t.number()),
};
const site = { name: t.string(), code: t.string(), address: t.string(), isDefault: t.bool(), isActive: t.bool(), deletedAt };
const unit = {
  name: t.string(),
  symbol: t.string(),
  dimension: t.enums(DIMENSIONS),
  factorNum: t.int({ min: 1 }),
  factorDen: t.int({ min: 1 }),
  precision: t.int({ min: 0 }),
  isActive: t.bool(),
  deletedAt,
};
const category = { name: t.string(), parentId: t.nullable(t.uuid()), isActive: t.bool(), deletedAt };

/** Further fields of each event. */
const eventData = {
  'inventory.item.created': item,
  'inventory.item.updated': item,
  'order.created': order,
  'order.updated': order,
  'contact.created': contact,
  'contact.updated': contact,
  'stock_document.created': document,
  'stock_document.updated': document,
  'user.invited': { email: t.string(), role: t.enums(USER_ROLES) },
  'organization.updated': { name: t.string(), slug: t.string(), plan: t.enums(PLANS) },
  'integration.connected': { integration: t.object({ id: t.uuid(), name: t.string() }), scopes: t.array(t.enums(SCOPES)) },
  'stock_level.updated': stockLevel,
  'reorder_point.updated': { ...levelKey, reorderPoint: t.nullable(t.number()) },
  'order_line.deleted': { orderId: t.uuid(), itemId: t.nullable(t.uuid()), deletedAt },
  'site.created': site,
  'site.updated': site,
  'site.deleted': site,
  'unit.created': unit,
  'unit.updated': unit,
  'unit.deleted': unit,
  'category.created': category,
  'category.updated': category,
  'category.deleted': category,
} as const satisfies Record<ChangeEvent, Shape>;

/** The complete `data` schema of an event. */
export const getEventDataSchema = (name: ChangeEvent): ObjectSpec => t.object<Shape>({ ...common, ...eventData[name] });

/** What a record is and its state: the fields, besides the common ones, that every event of an order or document has (C-6). */
const KEPT_FIELDS = ['module', 'type', 'status'];

/** The fields that an event keeps, besides the common ones, when its data is larger than EVENT_MAX_BYTES. */
export const listKeptFields = (name: ChangeEvent): readonly string[] => KEPT_FIELDS.filter((field) => field in eventData[name]);

/** Sent instead of event data that is larger than EVENT_MAX_BYTES. */
export function getTruncatedDataSchema(name: ChangeEvent): ObjectSpec {
  const shape: Shape = eventData[name];
  return t.object<Shape>({
    ...common,
    ...Object.fromEntries(listKeptFields(name).flatMap((field) => (shape[field] ? [[field, shape[field]]] : []))),
    truncated: t.annotate(t.bool(), { description: 'Always true: get the full record from the API.', example: true }),
  });
}

/** The data of the connectivity check, which does not concern a record. */
export const testEventData = t.object({
  webhookId: t.annotate(t.uuid(), { description: 'Id of the endpoint that is checked.' }),
  sentAt: t.timestamp(),
});
