/** A combo is sold as its ingredients, so one without ingredients cannot be sold (D-10). */
import { listIngredientsOf } from '../catalog/ingredient-needs.ts';
import type { ItemRecord } from '../catalog/records.ts';
import { StockroomError } from '../kernel/errors.ts';
import type { ReadTx } from '../tables.ts';
import type { LineChange } from './line-fields.ts';

/** The combos among these items that have no ingredients. */
export async function listEmptyCombos(tx: ReadTx, items: readonly ItemRecord[]): Promise<ItemRecord[]> {
  const combos = items.filter(({ itemType }) => itemType === 'combo');
  const ingredients = await listIngredientsOf(
    tx,
    combos.map(({ id }) => id),
  );
  return combos.filter(({ id }) => !ingredients.has(id));
}

/** Throws 409 if a line gets a combo without ingredients. Lines keep the combo that they have. */
export async function checkNewCombos(tx: ReadTx, items: ReadonlyMap<string, ItemRecord>, changes: readonly LineChange[]): Promise<void> {
  const isNew = ({ before, fields: { itemId } }: LineChange): boolean => itemId !== null && before?.itemId !== itemId;
  const newItems = new Set(changes.filter(isNew).map(({ fields: { itemId } }) => items.get(itemId ?? '')));
  const [empty] = await listEmptyCombos(
    tx,
    [...newItems].filter((item) => item !== undefined),
  );
  if (!empty) return;
  const index = changes.findIndex((change) => isNew(change) && change.fields.itemId === empty.id);
  throw new StockroomError(
    'INVALID_STATE',
    `${empty.name} is a combo without ingredients, so there is nothing to sell. Add its ingredients first.`,
    { details: { itemId: empty.id, path: `/lines/${String(index)}/itemId` } },
  );
}
