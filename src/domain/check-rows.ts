/** What must hold for each row, together with the rows it names. */
import type { RowOf, TableName } from './check-walk.ts';
import { Findings } from './findings.ts';
import type { ReadTable, Row, Value } from './ports.ts';
import { type ReadTx, tables } from './tables.ts';

export interface RowCheck {
  readonly findings: Findings;
  /** For each thing to look at in the row: a sentence when it is wrong, undefined when it is right. */
  look(tx: ReadTx, table: TableName, row: Row): AsyncIterable<string | undefined>;
}

export const rowChecks = (): RowCheck[] => [
  { findings: new Findings('references'), look: references },
  { findings: new Findings('unique values'), look: uniques },
  { findings: new Findings('numbers'), look: numbers },
  { findings: new Findings('preferred suppliers'), look: preferred },
  { findings: new Findings('order totals'), look: totals },
];

/** Which field names a row of which table (invariant 17). What may be deleted while it is named is left out. */
const REFERENCES: { readonly [T in TableName]?: { readonly [F in keyof RowOf<T> & string]?: TableName } } = {
  categories: { parentId: 'categories' },
  items: { categoryId: 'categories', unitId: 'units', supplierId: 'contacts' },
  ingredients: { itemId: 'items', ingredientItemId: 'items', unitId: 'units' },
  supplierLinks: { itemId: 'items', supplierId: 'contacts', purchaseUnitId: 'units' },
  orders: { contactId: 'contacts', siteId: 'sites', assignedTo: 'users', sourceOrderId: 'orders', itemIds: 'items' },
  orderLines: { orderId: 'orders', itemId: 'items', unitId: 'units', siteId: 'sites' },
};

const fieldOf = (row: Row, field: string): unknown => (row as unknown as Readonly<Record<string, unknown>>)[field];

async function* references(tx: ReadTx, table: TableName, row: Row) {
  for (const [field, target] of Object.entries<TableName>(REFERENCES[table] ?? {})) {
    const value = fieldOf(row, field);
    for (const id of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof id !== 'string') continue;
      yield (await tx[target].get(id)) ? undefined : `${table} ${row.id} names ${target} ${id} as ${field}, which does not exist`;
    }
  }
}

/** The index leads from each value back to the row that has it, so no other row can have it. */
async function* uniques(tx: ReadTx, name: TableName, row: Row) {
  const table = tx[name] as unknown as ReadTable<Row>;
  for (const [key, { fields }] of Object.entries(tables[name].unique)) {
    const values = fields.map((field) => fieldOf(row, field) ?? null) as Value[];
    if (values.some((value) => value === null || (typeof value === 'string' && value.trim() === ''))) continue;
    const found = await table.find(key, ...values);
    yield found?.id === row.id
      ? undefined
      : `${name} ${row.id} is not the one found by its ${key} ${values.join(', ')}, but ${found?.id ?? 'none'}`;
  }
}

/** Every stored number is a safe integer (invariant 18). Audit rows show numbers as they are on the wire. */
async function* numbers(_tx: ReadTx, table: TableName, row: Row) {
  await Promise.resolve();
  for (const [field, value] of Object.entries(row)) {
    if (table === 'auditEvents' && field === 'metadata') continue;
    const wrong = unsafe(value);
    if (typeof value === 'number' || wrong !== undefined)
      yield wrong === undefined ? undefined : `${table} ${row.id} has ${String(wrong)} in ${field}`;
  }
}

function unsafe(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? undefined : value;
  if (value === null || typeof value !== 'object') return undefined;
  return Object.values(value)
    .map(unsafe)
    .find((number) => number !== undefined);
}

const LINKS_MAX = 1_000;

/** At most one preferred link, and it is the item's supplier (invariant 15). */
async function* preferred(tx: ReadTx, table: TableName, row: Row) {
  if (table !== 'items') return;
  const { id, supplierId, sku, name } = row as RowOf<'items'>;
  const { rows } = await tx.supplierLinks.after({ where: [{ field: 'itemId', equals: id }], limit: LINKS_MAX });
  const marked = rows.filter(({ isPreferred }) => isPreferred).map((link) => link.supplierId);
  const right = rows.length === 0 ? supplierId === null : marked.length === 1 && marked[0] === supplierId;
  yield right
    ? undefined
    : `item ${sku ?? name} has the supplier ${String(supplierId)}, and ${marked.join(', ') || 'none'} as preferred link`;
}

const SUMS = { subtotal: 'lineSubtotal', discountTotal: 'lineDiscount', taxTotal: 'lineTax', total: 'lineTotal' } as const;

/** The totals of an order are the sums of its lines (invariant 18). */
async function* totals(tx: ReadTx, table: TableName, row: Row) {
  if (table !== 'orders') return;
  const order = row as RowOf<'orders'>;
  const { rows: lines } = await tx.orderLines.after({ where: [{ field: 'orderId', equals: order.id }], limit: LINKS_MAX });
  if (lines.length !== order.lineCount)
    yield `order ${order.orderNumber} has ${String(lines.length)} lines, and says ${String(order.lineCount)}`;
  for (const [field, part] of Object.entries(SUMS) as [keyof typeof SUMS, (typeof SUMS)[keyof typeof SUMS]][]) {
    const sum = lines.reduce((all, line) => all + line[part], 0);
    yield sum === order[field]
      ? undefined
      : `order ${order.orderNumber} has ${field} ${String(order[field])}, its lines add up to ${String(sum)}`;
  }
}
