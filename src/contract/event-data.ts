/** What the `data` of each event is. Contract part 6 gives the events; the fields are D §7. */
import { USER_ROLES } from './admin/users.ts';
import { ACTOR_TYPES } from './audit.ts';
import { CONTACT_TYPES } from './contacts.ts';
import type { EmittedEvent } from './events.ts';
import { ITEM_TYPES } from './items.ts';
import { STOCK_EFFECTS_MAX } from './limits.ts';
import { ORDER_MODULES, ORDER_PRIORITIES, ORDER_STATUSES } from './orders.ts';
import { type ObjectSpec, type Shape, t } from './schema.ts';
import { PLANS, SCOPES } from './scopes.ts';
import { DOCUMENT_STATUSES, DOCUMENT_TYPES, stockEffect } from './stock-documents.ts';

/** In the data of every event that the service records. */
const common = {
  id: t.about(t.uuid(), { description: 'The record that the event is about.' }),
  eventId: t.about(t.uuid(), { description: 'The same in every delivery of the event, retries and resends included: what to dedupe by.' }),
  occurredAt: t.timestamp(),
  actor: t.object({ type: t.enums(ACTOR_TYPES), id: t.string() }),
  changes: t.about(t.array(t.string()), {
    description: 'Names of the changed fields; empty when the record is new, `deleted` when it is gone.',
  }),
} as const;

const deletedAt = t.about(t.optional(t.timestamp()), { description: 'When the record was deleted.' });
const effects = t.about(t.optional(t.array(stockEffect, { max: STOCK_EFFECTS_MAX })), {
  description: 'What posting did to the stock, per item and site.',
});

const item = {
  name: t.string(),
  sku: t.nullable(t.string()),
  itemType: t.enums(ITEM_TYPES),
  isActive: t.bool(),
  updatedAt: t.timestamp(),
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
  previousStatus: t.about(t.optional(t.enums(ORDER_STATUSES)), { description: 'When the status changed.' }),
};
const contact = {
  name: t.string(),
  company: t.string(),
  contactType: t.enums(CONTACT_TYPES),
  isActive: t.bool(),
  updatedAt: t.timestamp(),
  deletedAt,
};
const document = {
  type: t.enums(DOCUMENT_TYPES),
  status: t.enums(DOCUMENT_STATUSES),
  documentNumber: t.string(),
  siteId: t.uuid(),
  toSiteId: t.nullable(t.uuid()),
  orderId: t.nullable(t.uuid()),
  lineCount: t.int({ min: 0 }),
  previousStatus: t.about(t.optional(t.enums(DOCUMENT_STATUSES)), { description: 'When the status changed.' }),
  stockEffects: effects,
  deletedAt,
};

/** What each event carries beside that. */
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
} as const satisfies Record<EmittedEvent, Shape>;

export const eventDataOf = (name: EmittedEvent): ObjectSpec => t.object<Shape>({ ...common, ...eventData[name] });

/** What is sent of an event whose data is larger than EVENT_MAX_BYTES. */
export const truncatedEventData = t.about(
  t.object({ ...common, truncated: t.about(t.bool(), { description: 'Always true: read the rest over the API.', example: true }) }),
  { name: 'TruncatedData' },
);

/** The body of the connectivity check, which is no event of a record. */
export const testEventData = t.object({
  webhookId: t.about(t.uuid(), { description: 'The endpoint that is checked.' }),
  sentAt: t.timestamp(),
});
