/** Every table of the service, with the questions the store must answer quickly. The one place where indexes are stated. */
import type { ApplicationRecord, InstallationRecord } from './applications.ts';
import type { AuditRecord, EventRecord } from './changes.ts';
import type { ContactRecord } from './contacts.ts';
import { deliveryForm, type DeliveryRecord } from './deliveries.ts';
import type { IdempotencyRecord } from './idempotency.ts';
import type { IngredientRecord } from './ingredients.ts';
import type { ItemRecord } from './items.ts';
import type { ApiKeyRecord } from './keys.ts';
import type { CodeRecord } from './oauth-codes.ts';
import type { ReadTables, Row, Store, TableSpec, WriteTables } from './ports.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import {
  auditForm,
  eventForm,
  itemForm,
  ledgerForm,
  orderForm,
  orderLineForm,
  replyForm,
  stockDocumentForm,
  stockLevelForm,
  stockLineForm,
  supplierLinkForm,
} from './row-forms.ts';
import type { CategoryRecord, SiteRecord, TierRecord, UnitRecord, UserRecord } from './settings.ts';
import type { LedgerRecord, StockDocumentRecord, StockLevelRecord, StockLineRecord } from './stock-records.ts';
import type { SupplierLinkRecord } from './suppliers.ts';
import type { TenantRecord } from './tenants.ts';
import type { WebhookHealthRecord, WebhookRecord } from './webhooks.ts';

function table<R extends Row>(
  spec: Omit<TableSpec<R>, 'row' | 'unique' | 'filters' | 'columns' | 'search'> & Partial<TableSpec<R>>,
): TableSpec<R> {
  return { unique: {}, filters: [], columns: [], search: [], ...spec };
}

const CREATED = [{ field: 'createdAt' }] as const;
const UPDATED = [{ field: 'updatedAt' }] as const;
const NAME = [{ field: 'name', fold: true }] as const;

/** A counter of the tenant: gapless numbers (D-4), positions of the change log. */
export interface CounterRecord {
  readonly id: string;
  readonly value: number;
}

/** Requests of one capability in one billing period, `id` = `<period start> <capability>`. */
export interface UsageRecord {
  readonly id: string;
  readonly periodStart: string;
  readonly capability: string;
  readonly count: number;
}

export const tables = {
  tenants: table<TenantRecord>({
    name: 'tenants',
    scope: 'service',
    unique: { slug: { fields: ['slug'], fold: true } },
    orders: { name: NAME, created_at: CREATED, updated_at: UPDATED },
    columns: ['isActive'],
    search: ['name', 'slug'],
  }),
  tiers: table<TierRecord>({ name: 'tiers', scope: 'service', orders: { name: [{ field: 'id' }] } }),
  apiKeys: table<ApiKeyRecord>({
    name: 'apiKeys',
    scope: 'service',
    unique: { prefix: { fields: ['prefix'] } },
    orders: { created_at: CREATED },
    filters: ['tenantId', 'applicationId'],
    columns: ['revokedAt', 'expiresAt'],
  }),
  applications: table<ApplicationRecord>({
    name: 'applications',
    scope: 'service',
    unique: { clientId: { fields: ['clientId'] } },
    orders: { name: NAME, created_at: CREATED, updated_at: UPDATED },
    filters: ['status', 'type'],
    search: ['name', 'clientId'],
  }),
  installations: table<InstallationRecord>({
    name: 'installations',
    scope: 'service',
    unique: { pair: { fields: ['applicationId', 'tenantId'] } },
    orders: { created_at: CREATED },
    filters: ['applicationId', 'tenantId'],
  }),
  oauthCodes: table<CodeRecord>({ name: 'oauthCodes', scope: 'service', orders: { forget_at: [{ field: 'forgetAt' }] } }),
  sites: table<SiteRecord>({
    name: 'sites',
    scope: 'tenant',
    unique: { code: { fields: ['code'], fold: true } },
    orders: { name: NAME, code: [{ field: 'code', fold: true }], created_at: CREATED, updated_at: UPDATED },
    filters: ['isActive'],
    search: ['name', 'code'],
  }),
  units: table<UnitRecord>({
    name: 'units',
    scope: 'tenant',
    unique: { symbol: { fields: ['symbol'], fold: true } },
    orders: { name: NAME, symbol: [{ field: 'symbol', fold: true }], created_at: CREATED, updated_at: UPDATED },
    filters: ['isActive'],
    search: ['name', 'symbol'],
  }),
  categories: table<CategoryRecord>({
    name: 'categories',
    scope: 'tenant',
    unique: { sibling: { fields: ['under', 'name'], fold: true } },
    orders: { name: NAME, created_at: CREATED, updated_at: UPDATED },
    filters: ['parentId', 'isActive'],
    search: ['name'],
  }),
  users: table<UserRecord>({
    name: 'users',
    scope: 'tenant',
    unique: { email: { fields: ['email'], fold: true } },
    orders: { name: NAME, email: [{ field: 'email', fold: true }], created_at: CREATED, updated_at: UPDATED },
    filters: ['role', 'status'],
    search: ['name', 'email'],
  }),
  items: table<ItemRecord>({
    name: 'items',
    scope: 'tenant',
    unique: { sku: { fields: ['sku'], fold: true }, barcode: { fields: ['barcode'], fold: true } },
    orders: { name: NAME, sku: [{ field: 'sku', fold: true }], created_at: CREATED, updated_at: UPDATED },
    filters: ['itemType', 'categoryId', 'unitId', 'supplierId', 'isActive'],
    search: ['name', 'sku', 'barcode', 'mpn'],
    form: itemForm,
  }),
  ingredients: table<IngredientRecord>({
    name: 'ingredients',
    scope: 'tenant',
    unique: { pair: { fields: ['itemId', 'ingredientItemId'] } },
    orders: { position: [{ field: 'position' }] },
    filters: ['itemId', 'ingredientItemId'],
    columns: ['unitId'],
  }),
  supplierLinks: table<SupplierLinkRecord>({
    name: 'supplierLinks',
    scope: 'tenant',
    orders: { created_at: CREATED },
    filters: ['itemId', 'supplierId'],
    columns: ['purchaseUnitId'],
    form: supplierLinkForm,
  }),
  contacts: table<ContactRecord>({
    name: 'contacts',
    scope: 'tenant',
    unique: { primary: { fields: ['primaryOf'], fold: true } },
    orders: {
      name: NAME,
      company: [{ field: 'company', fold: true }],
      created_at: CREATED,
      updated_at: UPDATED,
      // Not a sort of the list: it finds addresses whatever their case.
      email: [{ field: 'email', fold: true }],
    },
    filters: ['contactType', 'isActive', 'country', 'contactGroup'],
    search: ['name', 'company', 'email'],
  }),
  orders: table<OrderRecord>({
    name: 'orders',
    scope: 'tenant',
    unique: { orderNumber: { fields: ['orderNumber'], fold: true } },
    orders: {
      created_at: CREATED,
      order_number: [{ field: 'orderNumber', fold: true }],
      due_date: [{ field: 'dueDate' }],
      priority: [{ field: 'priorityRank' }],
      updated_at: UPDATED,
    },
    filters: ['module', 'status', 'contactId', 'siteId', 'assignedTo', 'priority', 'sourceOrderId', 'itemIds'],
    columns: ['deadline', 'stockSiteId', 'closedShort', 'fulfilment'],
    search: ['orderNumber', 'reference'],
    form: orderForm,
  }),
  orderLines: table<OrderLineRecord>({
    name: 'orderLines',
    scope: 'tenant',
    orders: { line_number: [{ field: 'lineNumber' }] },
    filters: ['orderId', 'itemId'],
    // Asked when a unit or a site is deleted or an item changes its type, and by the list of one order: seldom enough to go without an index.
    columns: ['kind', 'unitId', 'siteId', 'createdAt', 'updatedAt'],
    form: orderLineForm,
  }),
  stockDocuments: table<StockDocumentRecord>({
    name: 'stockDocuments',
    scope: 'tenant',
    unique: { number: { fields: ['documentNumber'], fold: true } },
    orders: { created_at: CREATED, document_number: [{ field: 'documentNumber', fold: true }], updated_at: UPDATED },
    filters: ['type', 'status', 'siteIds', 'itemIds', 'orderId', 'contactId'],
    columns: ['documentDate'],
    search: ['documentNumber', 'reference'],
    form: stockDocumentForm,
  }),
  stockDocumentLines: table<StockLineRecord>({
    name: 'stockDocumentLines',
    scope: 'tenant',
    orders: { line_number: [{ field: 'lineNumber' }] },
    filters: ['documentId', 'itemId', 'orderLineId', 'unitId'],
    columns: ['createdAt', 'updatedAt'],
    form: stockLineForm,
  }),
  ledger: table<LedgerRecord>({
    name: 'ledger',
    scope: 'tenant',
    orders: { seq: [{ field: 'seq' }] },
    filters: ['documentId', 'itemId', 'siteId'],
    form: ledgerForm,
  }),
  stockLevels: table<StockLevelRecord>({
    name: 'stockLevels',
    scope: 'tenant',
    orders: {
      name: NAME,
      sku: [{ field: 'sku', fold: true }],
      on_hand: [{ field: 'onHand' }],
      available: [{ field: 'available' }],
      projected: [{ field: 'projected' }],
      stock_value: [{ field: 'stockValue' }],
      updated_at: UPDATED,
    },
    filters: [
      'itemId',
      'siteId',
      'itemType',
      'categoryId',
      'isLow',
      'isBelowZero',
      'isIdle',
      'listedSiteId',
      'listedItemType',
      'listedCategoryId',
    ],
    columns: ['reorderPoint'],
    search: ['name', 'sku'],
    form: stockLevelForm,
  }),
  auditEvents: table<AuditRecord>({
    name: 'auditEvents',
    scope: 'tenant',
    orders: { created_at: CREATED },
    filters: ['actorType'],
    columns: ['action'],
    form: auditForm,
  }),
  events: table<EventRecord>({
    name: 'events',
    scope: 'tenant',
    orders: { position: [{ field: 'position' }] },
    columns: ['occurredAt'],
    form: eventForm,
  }),
  webhooks: table<WebhookRecord>({
    name: 'webhooks',
    scope: 'tenant',
    orders: { created_at: CREATED },
    filters: ['status', 'subscribedEvents'],
    columns: ['updatedAt'],
    search: ['name', 'targetUrl'],
  }),
  webhookHealth: table<WebhookHealthRecord>({ name: 'webhookHealth', scope: 'tenant', orders: { id: [{ field: 'id' }] } }),
  // Every event writes one row for each endpoint, so an index has to be worth it: status and event are looked for within an endpoint.
  deliveries: table<DeliveryRecord>({
    name: 'deliveries',
    scope: 'tenant',
    orders: { created_at: CREATED, queue: [{ field: 'queue', grouped: true }, { field: 'dueAt' }] },
    filters: ['webhookId'],
    columns: ['status', 'eventType', 'updatedAt'],
    form: deliveryForm,
  }),
  idempotency: table<IdempotencyRecord>({
    name: 'idempotency',
    scope: 'tenant',
    orders: { expires_at: [{ field: 'expiresAt' }] },
    form: replyForm,
  }),
  usage: table<UsageRecord>({
    name: 'usage',
    scope: 'tenant',
    orders: { capability: [{ field: 'capability' }] },
    filters: ['periodStart'],
  }),
  counters: table<CounterRecord>({ name: 'counters', scope: 'tenant', orders: { id: [{ field: 'id' }] } }),
} as const;

export type StockroomTables = typeof tables;
export type StockroomStore = Store<StockroomTables>;
/** Inside a transaction. */
export type Tx = WriteTables<StockroomTables>;
/** Inside a read; a transaction can stand in for it. */
export type ReadTx = ReadTables<StockroomTables>;
