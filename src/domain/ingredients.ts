/** Ingredients: what an item is made of. D-10. */
export interface IngredientRecord {
  readonly id: string;
  /** The parent. */
  readonly itemId: string;
  readonly ingredientItemId: string;
  /** Micro-units, both. Need for n parents = quantity × n ÷ perQuantity. */
  readonly quantity: number;
  readonly perQuantity: number;
  /** Null: the ingredient's own unit. */
  readonly unitId: string | null;
  /** Micro-units of percent. */
  readonly wastePercent: number;
  /** From 1, in the order of the list. */
  readonly position: number;
  readonly notes: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}
