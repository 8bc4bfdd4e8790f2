/** The types of demo scenarios: plain data, from which `apply-scenario.ts` creates the tenants. */
import type { SiteDraft } from '../contract/admin/sites.ts';
import type { UnitDraft } from '../contract/admin/units.ts';
import type { EmittedEvent } from '../contract/events.ts';
import type { NewContact } from '../contract/resources/contacts.ts';
import type { NewItem } from '../contract/resources/items.ts';
import type { OrderDraft, OrderStatus } from '../contract/resources/orders.ts';
import type { DocumentStatus, StockDocumentDraft } from '../contract/resources/stock-documents.ts';
import type { StockLineDraft } from '../contract/resources/stock-lines.ts';
import type { Plan } from '../contract/scopes.ts';
import type { UserRecord } from '../domain/tenancy/records.ts';
import type { DemoReceiver } from './webhook-addresses.ts';

export interface DemoContact extends NewContact {
  /** The name by which orders and supplier links refer to it. */
  readonly key: string;
}

export interface DemoItem extends Omit<NewItem, 'unitId' | 'categoryId' | 'supplierId'> {
  readonly sku: string | null;
  readonly unit?: string;
  readonly category?: string;
  /** Supplier links, the preferred one first. Prices are per purchase unit. */
  readonly suppliers?: readonly {
    readonly contact: string;
    readonly code?: string;
    readonly price?: number;
    readonly leadDays?: number;
    readonly unit?: string;
    readonly unitsPerPurchaseUnit?: number;
    readonly minOrderQuantity?: number;
  }[];
  /** What it is made of, per `perQuantity` items (default 1). */
  readonly ingredients?: readonly {
    readonly sku: string;
    readonly quantity: number;
    readonly wastePercent?: number;
    readonly perQuantity?: number;
  }[];
}

/** Lines or ingredients that have nothing but a quantity. */
export const quantities = (bySku: Readonly<Record<string, number>>) => Object.entries(bySku).map(([sku, quantity]) => ({ sku, quantity }));

export interface DemoLine extends Omit<OrderDraft['lines'][number], 'itemId' | 'unitId' | 'siteId'> {
  /** Null for a service, which has a description instead. */
  readonly sku: string | null;
  readonly unit?: string;
}

export type DaysByStatus<S extends string> = Readonly<Partial<Record<S, number>>>;

export interface DemoOrder extends Pick<OrderDraft, 'module' | 'reference' | 'notes'>, Partial<Pick<OrderDraft, 'priority'>> {
  /** Default: the tenant's own company (the house contact). */
  readonly contact?: string;
  /** Days before today; the time of day follows from the position in the scenario. */
  readonly daysAgo: number;
  /** Days from the order date. Default: that of the tenant. */
  readonly dueAfterDays?: number;
  /** Email of the user. */
  readonly assignedTo?: string;
  readonly site?: string;
  readonly lines: readonly DemoLine[];
  /** Later statuses, oldest first, with the days before today at which it got them. */
  readonly statuses?: DaysByStatus<Exclude<OrderStatus, 'draft'>>;
  /** Completing it closes the remaining quantities without posting stock. */
  readonly isClosedShort?: true;
  readonly cancelReason?: string;
  /** Issues of the next lines. */
  readonly shipments?: readonly { readonly daysAgo: number; readonly lines: number }[];
}

export interface DemoStockLine extends Omit<StockLineDraft, 'itemId' | 'unitId' | 'orderLineId'> {
  readonly sku: string;
}

export interface DemoDocument extends Pick<StockDocumentDraft, 'type' | 'reason' | 'reference' | 'notes'> {
  readonly daysAgo: number;
  /** Email of the user. */
  readonly by?: string;
  /** Default: the default site of the tenant. */
  readonly site?: string;
  readonly toSite?: string;
  readonly contact?: string;
  readonly lines: readonly DemoStockLine[];
  /** Later statuses, oldest first, with the days before today at which it got them. Without any, it stays a draft. */
  readonly statuses?: DaysByStatus<Exclude<DocumentStatus, 'draft'>>;
  readonly cancelReason?: string;
}

export interface DemoReorderPoint {
  readonly sku: string;
  readonly site: string;
  readonly quantity: number;
}

export interface DemoWebhook {
  readonly receiver: DemoReceiver;
  readonly name: string;
  readonly description: string;
  readonly subscribedEvents: readonly EmittedEvent[];
  readonly createdDaysAgo: number;
  /** Deliveries that are due when the demo is loaded: of the newest events that the receiver fails this many times. */
  readonly due: { readonly count: number; readonly failures: number };
}

type DemoSite = Required<Pick<SiteDraft, 'name' | 'code'>>;

export interface DemoTenant {
  readonly slug: string;
  readonly name: string;
  readonly plan: Plan;
  readonly currency: string;
  readonly timezone: string;
  readonly site: DemoSite;
  readonly moreSites: readonly DemoSite[];
  /** In addition to the common ones. */
  readonly units: readonly Omit<UnitDraft, 'isActive'>[];
  readonly users: readonly Pick<UserRecord, 'email' | 'name' | 'role' | 'status'>[];
  readonly categories: readonly string[];
  readonly contacts: readonly DemoContact[];
  readonly items: readonly DemoItem[];
  readonly orders: readonly DemoOrder[];
  /** In addition to those posted by orders. On the same day, they follow the orders. */
  readonly documents: readonly DemoDocument[];
  readonly reorderPoints: readonly DemoReorderPoint[];
  /** Only for plans that include webhooks. */
  readonly webhooks: readonly DemoWebhook[];
}
