/** Details of items and orders that lists do not contain, as texts that can be compared between two services. */
import { listIngredients } from '../../contract/resources/ingredients.ts';
import { listOrderLines } from '../../contract/resources/order-lines.ts';
import { getOrder } from '../../contract/resources/orders.ts';
import { listSuppliers } from '../../contract/resources/suppliers.ts';
import { getValueAt, toPlainText } from '../output/fields.ts';
import type { SourceReader, SourceRecord } from './source.ts';

export type Details = Readonly<Record<string, string | null>>;

export async function readItemDetails(origin: SourceReader, id: string): Promise<Details> {
  const params = { item_id: id };
  const [recipe, suppliers] = [await origin.getAll(listIngredients, { params }), await origin.getAll(listSuppliers, { params })];
  return { recipe: joinSorted(recipe.map(formatIngredient)), suppliers: joinSorted(suppliers.map(formatSupplier)) };
}

export async function readOrderDetails(origin: SourceReader, id: string): Promise<Details> {
  const params = { order_id: id };
  const { reference, notes } = await origin.getOne(getOrder, { params });
  const lines = await origin.getAll(listOrderLines, { params });
  return { reference: toTextOrNull(reference), notes: toTextOrNull(notes), lines: joinSorted(lines.map(formatLine)) };
}

const toTextOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Sorted, because the copies of rows may have another order. */
const joinSorted = (rows: readonly string[]): string | null => (rows.length === 0 ? null : rows.toSorted().join('; '));

const readText = (row: SourceRecord, path: string): string => toPlainText(getValueAt(row, path));

/** Formats the fields that are not empty as `name value`. */
const formatFields = (row: SourceRecord, names: readonly string[]): string =>
  names
    .flatMap((name) => (row[name] === null || row[name] === undefined || row[name] === '' ? [] : [` ${name} ${JSON.stringify(row[name])}`]))
    .join('');

const formatIngredient = (row: SourceRecord): string => {
  const per = row['perQuantity'] === 1 ? '' : ` per ${String(row['perQuantity'])}`;
  const waste = row['wastePercent'] === 0 ? '' : `, ${String(row['wastePercent'])} % waste`;
  return `${String(row['quantity'])} ${readText(row, 'unit.symbol')} ${readText(row, 'ingredient.name')}${per}${waste}${formatFields(row, ['notes'])}`;
};

const TERMS = ['supplierCode', 'purchasePrice', 'unitsPerPurchaseUnit', 'minOrderQuantity', 'orderMultiple', 'leadTimeDays', 'notes'];
const formatSupplier = (row: SourceRecord): string =>
  `${readText(row, 'supplier.name')}${row['isPreferred'] === true ? ' (preferred)' : ''}${formatFields(row, TERMS)}`;

/** In stock units, because the copy may have another unit. */
const formatLine = (row: SourceRecord): string =>
  `${String(row['stockQuantity'])} ${readText(row, 'item.name') || String(row['description'])} for ${String(row['lineTotal'])}${formatFields(row, ['passedQuantity', 'failedQuantity', 'failureReason', 'notes'])}`;
