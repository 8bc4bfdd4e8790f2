/** Stored records of orders and their lines. Quantities, prices and percentages are in micro-units, amounts in minor units of the currency (D-9). */
import type { FailedDisposition, LineKind } from '../../contract/resources/order-lines.ts';
import type { StoredNeedRatio } from '../catalog/records.ts';
import type { ExternalFields } from '../kernel/external-fields.ts';
import type { Fulfilment, OrderModule, OrderPriority, OrderStatus } from '../../contract/resources/orders.ts';

export interface OrderRecord extends ExternalFields {
  readonly id: string;
  readonly module: OrderModule;
  readonly orderNumber: string;
  readonly status: OrderStatus;
  readonly contactId: string;
  /** Calendar days in the tenant's time zone, YYYY-MM-DD. */
  readonly orderDate: string;
  readonly dueDate: string;
  /** Null for the default site of the tenant. */
  readonly siteId: string | null;
  readonly priority: OrderPriority;
  /** The index of `priority`, for sorting. */
  readonly priorityRank: number;
  readonly assignedTo: string | null;
  readonly notes: string | null;
  readonly reference: string | null;
  readonly sourceOrderId: string | null;
  /** The currency of the tenant when the order was created. */
  readonly currency: string;
  readonly currencyExponent: number;
  readonly subtotal: number;
  readonly discountTotal: number;
  readonly taxTotal: number;
  readonly total: number;
  readonly lineCount: number;
  /** Derived from the lines and stored, so that a status change need not read them. */
  readonly fulfilment: Fulfilment;
  readonly closedShort: boolean;
  readonly completedAt: string | null;
  readonly cancelledAt: string | null;
  readonly cancelReason: string | null;
  /** Documents posted for the order, including reversed ones. */
  readonly stockDocumentIds: readonly string[];
  /**
   * The default site of the tenant when the order left draft; null for a draft. Committed and incoming stock stays at this site even if the
   * default changes.
   */
  readonly stockSiteId: string | null;
  /** The distinct items of the lines, for filtering. */
  readonly itemIds: readonly string[];
  /** `dueDate` of an outstanding order, otherwise `NO_DEADLINE`, for the overdue filter. */
  readonly deadline: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Documents posted for returns, including reversed ones. Undefined on orders that 0.1.0 stored. */
  readonly returnDocumentIds: readonly string[] | undefined;
}

export interface OrderLineRecord {
  readonly id: string;
  readonly orderId: string;
  /** From 1, without gaps. */
  readonly lineNumber: number;
  readonly kind: LineKind;
  /** Null on service lines only. Name and SKU are copied from the item when the line is created. */
  readonly itemId: string | null;
  readonly itemName: string | null;
  readonly itemSku: string | null;
  readonly description: string;
  readonly quantity: number;
  readonly unitId: string | null;
  /** `quantity` in the item's stock unit. */
  readonly stockQuantity: number;
  /** Stock units per unit of the line when the unit was set: a whole number or a fraction, `60` or `45359237/100000000`. */
  readonly stockFactor: string;
  /** Per unit of the line. */
  readonly unitPrice: number | null;
  readonly discountPercent: number;
  readonly taxPercent: number;
  readonly lineSubtotal: number;
  readonly lineDiscount: number;
  readonly lineTax: number;
  readonly lineTotal: number;
  /** In the unit of the line. */
  readonly fulfilledQuantity: number;
  /** Posted by documents, in stock units and in the unit of the line; 0 for a combo, whose parts are in `kit`. */
  readonly posted: { readonly stock: number; readonly quantity: number };
  /**
   * The parts of a combo when the order left draft; null on drafts and for other items. A snapshot, so that commitments, issues and reversals
   * match even if the ingredients change.
   */
  readonly kit: readonly ComboPart[] | null;
  /** Null for the site of the order. */
  readonly siteId: string | null;
  readonly notes: string | null;
  /** On component lines only. */
  readonly component: ComponentPart | null;
  /** On inspection lines only. */
  readonly inspection: InspectionPart | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /**
   * The exact price per unit of the line, a fraction of micro-units as text, if `unitPrice` is rounded from it; else null. Undefined on lines
   * that 0.1.0 stored, whose amounts come from `unitPrice`.
   */
  readonly exactPrice: string | null | undefined;
  /** What was returned of the item, or of the parts of a combo, by item id, in stock units. Null or undefined: nothing. */
  readonly returned: Readonly<Record<string, number>> | null | undefined;
}

export interface ComponentPart {
  /** The ingredient that the line was created from, which may be deleted since. */
  readonly sourceIngredientId: string | null;
  /** The quantity required for the outputs, in stock units; responses show it in the unit of the line. */
  readonly plannedQuantity: number | null;
  /** Edited or added manually: the quantity does not follow the outputs. */
  readonly isManual: boolean;
  /**
   * The need per output when the quantity was last derived. A snapshot, so that the line follows its outputs even if the ingredients change.
   * Missing on lines added manually, and on lines that 0.1.0 stored.
   */
  readonly need?: ComponentNeed;
}

/** The exact need of an item for one unit of an output, both in stock units. */
export interface ComponentNeed extends StoredNeedRatio {
  readonly outputItemId: string;
  readonly itemId: string;
}

export interface InspectionPart {
  readonly passedQuantity: number;
  readonly failedQuantity: number;
  readonly failureReason: string | null;
  readonly failedDisposition: FailedDisposition;
}

/** One part of a combo: its exact quantity per combo, and the posted quantity in stock units. */
export interface ComboPart extends StoredNeedRatio {
  readonly itemId: string;
  readonly posted: number;
}

/** An order with all its lines, by line number. */
export interface OrderWithLines {
  readonly order: OrderRecord;
  readonly lines: readonly OrderLineRecord[];
}
