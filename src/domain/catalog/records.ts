/** Items, ingredients, supplier links, units and categories as they are stored. Quantities, prices and percentages are micro-units (D-9). */
import type { Dimension } from '../../contract/resources/setting-records.ts';
import type { itemDraft } from '../../contract/resources/items.ts';
import type { supplierLinkDraft } from '../../contract/resources/suppliers.ts';
import type { ExternalFields } from '../kernel/external-fields.ts';
import type { StoredFields } from './body-fields.ts';

/** Prices are in the tenant's currency. `supplierId` is always that of the preferred supplier link (D-11). */
export interface ItemRecord extends StoredFields<Omit<(typeof itemDraft)['properties'], keyof ExternalFields>>, ExternalFields {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface IngredientRecord {
  readonly id: string;
  /** The parent item. */
  readonly itemId: string;
  readonly ingredientItemId: string;
  /** The need for n parents is quantity × n ÷ perQuantity. */
  readonly quantity: number;
  readonly perQuantity: number;
  /** The unit of `quantity`. Null if the ingredient had no unit: then the unit that it gets later, if any. */
  readonly unitId: string | null;
  readonly wastePercent: number;
  /** From 1, without gaps. */
  readonly position: number;
  readonly notes: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * The terms on which a supplier sells an item (D-11). Prices and order quantities are those of the purchase unit, which is the item's own
 * unit when it is null.
 */
export type SupplierTerms = StoredFields<Omit<(typeof supplierLinkDraft)['properties'], 'supplierId' | 'isPreferred'>>;

export interface SupplierLinkRecord extends SupplierTerms {
  /** `toSupplierLinkId(itemId, supplierId)`. */
  readonly id: string;
  readonly itemId: string;
  /** The id of a contact. */
  readonly supplierId: string;
  /** True for exactly one link of an item: the one with the item's supplierId. */
  readonly isPreferred: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface UnitRecord {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  readonly dimension: Dimension;
  /** `factorNum / factorDen` is the exact factor to the base unit of the dimension. */
  readonly factorNum: number;
  readonly factorDen: number;
  /** Decimals of a quantity in this unit, 0 to 6. */
  readonly precision: number;
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface CategoryRecord {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  /** The parent's id, or `TOP_LEVEL`. Together with the name a unique key, so that siblings have different names. */
  readonly under: string;
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The value of `under` for categories without a parent. */
export const TOP_LEVEL = 'top';

/** The quantity of an ingredient per parent, a fraction in steps of its unit, as order lines store it. */
export interface StoredNeedRatio {
  readonly numerator: string;
  readonly denominator: string;
  readonly step: string;
}
