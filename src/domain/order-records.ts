/** Orders and their lines as they are stored. Quantities, prices and percentages are micro-units, amounts of money minor units (D-9). */
import type { FailedDisposition, LineKind } from '../contract/order-lines.ts';
import type { Fulfilment, OrderModule, OrderPriority, OrderStatus } from '../contract/orders.ts';

export interface OrderRecord {
  readonly id: string;
  readonly module: OrderModule;
  readonly orderNumber: string;
  readonly status: OrderStatus;
  readonly contactId: string;
  /** Calendar days in the tenant's time zone, YYYY-MM-DD. */
  readonly orderDate: string;
  readonly dueDate: string;
  /** Null: the tenant's default site. */
  readonly siteId: string | null;
  readonly priority: OrderPriority;
  /** The place of `priority` among the priorities, because lists sort by rank. */
  readonly priorityRank: number;
  readonly assignedTo: string | null;
  readonly notes: string | null;
  readonly reference: string | null;
  readonly sourceOrderId: string | null;
  /** The tenant's currency when the order was made: its amounts stay what they were. */
  readonly currency: string;
  readonly currencyExponent: number;
  readonly subtotal: number;
  readonly discountTotal: number;
  readonly taxTotal: number;
  readonly total: number;
  readonly lineCount: number;
  /** Kept in step with the lines, so that a change of status need not read them. */
  readonly fulfilment: Fulfilment;
  readonly closedShort: boolean;
  readonly completedAt: string | null;
  readonly cancelledAt: string | null;
  readonly cancelReason: string | null;
  /** The documents that moved stock for the order, also those that were reversed since. */
  readonly stockDocumentIds: readonly string[];
  /**
   * The tenant's default site when the order left draft, null while it is a draft: what the order counts as committed and incoming must
   * stay where it is counted, whichever site becomes the default meanwhile.
   */
  readonly stockSiteId: string | null;
  /** The distinct items of the lines, for the filter by item. */
  readonly itemIds: readonly string[];
  /** `dueDate` while work is outstanding, `NO_DEADLINE` otherwise: what "overdue" asks for. */
  readonly deadline: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface OrderLineRecord {
  readonly id: string;
  readonly orderId: string;
  /** From 1, in the order of the list. */
  readonly lineNumber: number;
  readonly kind: LineKind;
  /** Null on a service line only; name and SKU are the item's when the line was made. */
  readonly itemId: string | null;
  readonly itemName: string | null;
  readonly itemSku: string | null;
  readonly description: string;
  readonly quantity: number;
  readonly unitId: string | null;
  /** `quantity` in the item's stock unit. */
  readonly stockQuantity: number;
  /** Stock units in one unit of the line when it was chosen: a whole number or a fraction, `60` or `45359237/100000000`. */
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
  /** What documents have posted for the line: in stock units, and in the unit of the line. Of a combo its parts are posted. */
  readonly posted: { readonly stock: number; readonly quantity: number };
  /**
   * The parts of a combo when the order left draft; null on a draft and on other items. A snapshot, because a recipe may change under an
   * open order, and what is committed, issued and reversed must be the same.
   */
  readonly kit: readonly KitPart[] | null;
  /** Null: the order's site. */
  readonly siteId: string | null;
  readonly notes: string | null;
  /** On component lines only. */
  readonly component: ComponentPart | null;
  /** On inspection lines only. */
  readonly inspection: InspectionPart | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ComponentPart {
  /** The ingredient the line was made from; it may have been deleted since. */
  readonly sourceIngredientId: string | null;
  /** What the ingredients of the outputs ask for, in stock units; replies tell it in the unit of the line. */
  readonly plannedQuantity: number | null;
  /** Edited or added by hand: the quantity does not follow the outputs. */
  readonly isManual: boolean;
}

export interface InspectionPart {
  readonly passedQuantity: number;
  readonly failedQuantity: number;
  readonly failureReason: string | null;
  readonly failedDisposition: FailedDisposition;
}

/** One part of a combo, with its exact need per combo (`NeedRatio`, as text) and what has been posted of it, in stock units. */
export interface KitPart {
  readonly itemId: string;
  readonly numerator: string;
  readonly denominator: string;
  readonly step: string;
  readonly posted: number;
}
