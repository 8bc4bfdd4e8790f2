/** Supplier links: from whom an item is bought, and how. D-11. */
export interface SupplierLinkRecord {
  /** `supplierLinkId(itemId, supplierId)`. */
  readonly id: string;
  readonly itemId: string;
  /** The contact. */
  readonly supplierId: string;
  readonly supplierCode: string | null;
  /** Micro-units per purchase unit. */
  readonly purchasePrice: number | null;
  readonly purchaseUnitId: string | null;
  /** Micro-units: stock units in one purchase unit. */
  readonly unitsPerPurchaseUnit: number;
  /** Micro-units of the purchase unit. */
  readonly minOrderQuantity: number | null;
  readonly orderMultiple: number | null;
  readonly leadTimeDays: number | null;
  /** Exactly one of an item's links, equal to the item's supplierId. */
  readonly isPreferred: boolean;
  readonly notes: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const supplierLinkId = (itemId: string, supplierId: string): string => `${itemId}:${supplierId}`;
