/** The shape of a demo tenant's story: plain data, played through the same domain functions that answer the API. */
import type { ContactType } from '../contract/contacts.ts';
import type { ItemType } from '../contract/items.ts';
import type { LineKind } from '../contract/order-lines.ts';
import type { OrderModule, OrderPriority } from '../contract/orders.ts';
import type { Plan } from '../contract/scopes.ts';
import type { AdjustmentReason, DocumentStatus, DocumentType } from '../contract/stock-documents.ts';
import type { Direction } from '../contract/stock-lines.ts';
import type { Dimension, UserRecord } from '../domain/settings.ts';

export interface DemoUnit {
  readonly symbol: string;
  readonly name: string;
  readonly dimension: Dimension;
  readonly precision: number;
  /** Base units of the dimension in one of this, as a fraction. */
  readonly factor: readonly [numerator: number, denominator: number];
}

export interface DemoContact {
  /** How orders and links name it. */
  readonly key: string;
  readonly name: string;
  readonly company?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly contactType: ContactType;
  readonly country?: string;
  readonly contactGroup?: string;
  readonly isPrimaryContact?: boolean;
  readonly isActive?: boolean;
}

export interface DemoItem {
  readonly sku: string | null;
  readonly name: string;
  readonly itemType?: ItemType;
  readonly unit?: string;
  readonly category?: string;
  readonly salePrice?: number;
  readonly purchasePrice?: number;
  readonly barcode?: string;
  readonly mpn?: string;
  readonly notes?: string;
  readonly isActive?: boolean;
  /** Supplier links, the preferred one first: contact, price per purchase unit, lead days, purchase unit, stock units in it. */
  readonly suppliers?: readonly {
    readonly contact: string;
    readonly code?: string;
    readonly price?: number;
    readonly leadDays?: number;
    readonly unit?: string;
    readonly unitsPer?: number;
    readonly minimum?: number;
  }[];
  /** What it is made of: SKU, quantity, waste in percent, per how many parents. */
  readonly madeOf?: readonly { readonly sku: string; readonly quantity: number; readonly waste?: number; readonly per?: number }[];
}

export interface DemoLine {
  /** Null: a service, described in words. */
  readonly sku: string | null;
  readonly quantity: number;
  readonly kind?: LineKind;
  readonly unitPrice?: number;
  readonly discountPercent?: number;
  readonly taxPercent?: number;
  readonly description?: string;
  readonly passed?: number;
  readonly failed?: number;
  readonly failureReason?: string;
}

export interface DemoOrder {
  readonly module: OrderModule;
  /** Null: the tenant's own company. */
  readonly contact: string | null;
  /** Days before today; the time of day follows from the order's place in the story. */
  readonly daysAgo: number;
  /** Days from the order date; absent: the tenant's default. */
  readonly dueAfter?: number;
  readonly priority?: OrderPriority;
  /** Email of the user. */
  readonly assignedTo?: string;
  readonly site?: string;
  readonly reference?: string;
  readonly notes?: string;
  readonly lines: readonly DemoLine[];
  /** What happened next: status and days before today, oldest first. */
  readonly then?: readonly {
    readonly status: 'open' | 'in_progress' | 'waiting' | 'completed' | 'cancelled';
    readonly daysAgo: number;
    /** Only for completing: close what is left without posting. */
    readonly short?: true;
    readonly reason?: string;
  }[];
}

export interface DemoStockLine {
  readonly sku: string;
  /** Absent on counts. */
  readonly quantity?: number;
  readonly countedQuantity?: number;
  readonly unitCost?: number;
  readonly direction?: Direction;
}

export interface DemoDocument {
  readonly type: DocumentType;
  readonly daysAgo: number;
  /** Email of the user. */
  readonly by?: string;
  /** Absent: the default site. */
  readonly site?: string;
  readonly toSite?: string;
  readonly contact?: string;
  readonly reason?: AdjustmentReason;
  readonly reference?: string;
  readonly notes?: string;
  readonly lines: readonly DemoStockLine[];
  /** What became of it, oldest first; absent: it is still a draft. */
  readonly then?: readonly {
    readonly status: Exclude<DocumentStatus, 'draft'>;
    readonly daysAgo: number;
    /** Only for cancelling. */
    readonly reason?: string;
  }[];
}

export interface DemoReorderPoint {
  readonly sku: string;
  readonly site: string;
  readonly quantity: number;
}

export interface DemoTenant {
  readonly slug: string;
  readonly name: string;
  readonly plan: Plan;
  readonly currency: string;
  readonly timezone: string;
  readonly site: { readonly name: string; readonly code: string };
  readonly moreSites: readonly { readonly name: string; readonly code: string }[];
  readonly units: readonly DemoUnit[];
  readonly users: readonly Pick<UserRecord, 'email' | 'name' | 'role' | 'status'>[];
  readonly categories: readonly string[];
  readonly contacts: readonly DemoContact[];
  readonly items: readonly DemoItem[];
  readonly orders: readonly DemoOrder[];
  /** Besides those that the orders post; on one day they come after the orders. */
  readonly documents: readonly DemoDocument[];
  readonly reorderPoints: readonly DemoReorderPoint[];
}
