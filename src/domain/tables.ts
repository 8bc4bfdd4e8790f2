/**
 * Every table of the store. Each area declares its own in `<area>/tables.ts`. The order of the keys here is the order of the tables in
 * snapshots, in row counts and in the findings of the integrity check, so it stays as it is.
 */
import { catalogTables } from './catalog/tables.ts';
import { contactsTables } from './contacts/tables.ts';
import { countersTables } from './counters/tables.ts';
import { eventsTables } from './events/tables.ts';
import { idempotencyTables } from './idempotency/tables.ts';
import { oauthTables } from './oauth/tables.ts';
import { ordersTables } from './orders/tables.ts';
import { stockTables } from './stock/tables.ts';
import { tenancyTables } from './tenancy/tables.ts';
import { webhooksTables } from './webhooks/tables.ts';
import type { ReadTables, Store, WriteTables } from './kernel/ports.ts';

export const tables = {
  tenants: tenancyTables.tenants,
  tiers: tenancyTables.tiers,
  apiKeys: tenancyTables.apiKeys,
  applications: oauthTables.applications,
  installations: oauthTables.installations,
  oauthCodes: oauthTables.oauthCodes,
  sites: tenancyTables.sites,
  units: catalogTables.units,
  categories: catalogTables.categories,
  users: tenancyTables.users,
  items: catalogTables.items,
  ingredients: catalogTables.ingredients,
  supplierLinks: catalogTables.supplierLinks,
  contacts: contactsTables.contacts,
  orders: ordersTables.orders,
  orderLines: ordersTables.orderLines,
  stockDocuments: stockTables.stockDocuments,
  stockDocumentLines: stockTables.stockDocumentLines,
  ledger: stockTables.ledger,
  stockLevels: stockTables.stockLevels,
  auditEvents: eventsTables.auditEvents,
  events: eventsTables.events,
  webhooks: webhooksTables.webhooks,
  webhookHealth: webhooksTables.webhookHealth,
  deliveries: eventsTables.deliveries,
  idempotency: idempotencyTables.idempotency,
  usage: tenancyTables.usage,
  counters: countersTables.counters,
  pendingConsents: oauthTables.pendingConsents,
  loginCodes: oauthTables.loginCodes,
  webhookReplays: webhooksTables.webhookReplays,
} as const;

export type StockroomTables = typeof tables;
export type StockroomStore = Store<StockroomTables>;
/** A transaction: every table, for reading and writing. */
export type Tx = WriteTables<StockroomTables>;
/** Read access to all tables. `Tx` is assignable to it. */
export type ReadTx = ReadTables<StockroomTables>;
