/** What lists do not show of an item and an order, told in words that are the same on both sides when it is the same. */
import { listIngredients } from '../../contract/ingredients.ts';
import { listOrderLines } from '../../contract/order-lines.ts';
import { getOrder } from '../../contract/orders.ts';
import { listSuppliers } from '../../contract/suppliers.ts';
import type { Origin, Rec } from './origin.ts';

export type Details = Readonly<Record<string, string | null>>;

export async function itemDetails(origin: Origin, id: string): Promise<Details> {
  const params = { item_id: id };
  const [recipe, suppliers] = [await origin.all(listIngredients, { params }), await origin.all(listSuppliers, { params })];
  return { recipe: joined(recipe.map(ingredientText)), suppliers: joined(suppliers.map(supplierText)) };
}

export async function orderDetails(origin: Origin, id: string): Promise<Details> {
  const params = { order_id: id };
  const { reference, notes } = await origin.one(getOrder, { params });
  const lines = await origin.all(listOrderLines, { params });
  return { reference: textOrNull(reference), notes: textOrNull(notes), lines: joined(lines.map(lineText)) };
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Rows in any order: the copies of rows that were made at once have an order of their own. */
const joined = (rows: readonly string[]): string | null => (rows.length === 0 ? null : rows.toSorted().join('; '));

const inside = (value: unknown, field: 'name' | 'symbol'): string => {
  const found = (value as Readonly<Record<string, unknown>> | null | undefined)?.[field];
  return typeof found === 'string' ? found : '';
};
const named = (value: unknown): string => inside(value, 'name');

/** The fields that say something, as `name value`. */
const said = (row: Rec, names: readonly string[]): string =>
  names
    .flatMap((name) => (row[name] === null || row[name] === undefined || row[name] === '' ? [] : [` ${name} ${JSON.stringify(row[name])}`]))
    .join('');

const ingredientText = (row: Rec): string => {
  const per = row['perQuantity'] === 1 ? '' : ` per ${String(row['perQuantity'])}`;
  const waste = row['wastePercent'] === 0 ? '' : `, ${String(row['wastePercent'])} % waste`;
  return `${String(row['quantity'])} ${inside(row['unit'], 'symbol')} ${named(row['ingredient'])}${per}${waste}${said(row, ['notes'])}`;
};

const TERMS = ['supplierCode', 'purchasePrice', 'unitsPerPurchaseUnit', 'minOrderQuantity', 'orderMultiple', 'leadTimeDays', 'notes'];
const supplierText = (row: Rec): string =>
  `${named(row['supplier'])}${row['isPreferred'] === true ? ' (preferred)' : ''}${said(row, TERMS)}`;

/** In stock units, because a copy may tell the quantity in another unit. */
const lineText = (row: Rec): string =>
  `${String(row['stockQuantity'])} ${named(row['item']) || String(row['description'])} for ${String(row['lineTotal'])}${said(row, ['passedQuantity', 'failedQuantity', 'failureReason', 'notes'])}`;
