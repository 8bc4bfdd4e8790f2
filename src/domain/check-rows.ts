/** What must hold for each row, together with the rows it names. */
import { type RowOf, type TableName, fieldOf } from './check-walk.ts';
import { stockChecks } from './check-stock.ts';
import { Findings } from './findings.ts';
import type { ReadTable, Row, Value } from './ports.ts';
import { type ReadTx, tables } from './tables.ts';

/** For each thing that was looked at: a sentence when it is wrong, undefined when it is right. */
type Seen = (string | undefined)[];

export interface RowCheck {
  readonly findings: Findings;
  look(tx: ReadTx, table: TableName, rows: readonly Row[]): Seen | Promise<Seen>;
}

export const rowChecks = (): RowCheck[] => [
  { findings: new Findings('references'), look: references },
  { findings: new Findings('unique values'), look: uniques },
  { findings: new Findings('numbers'), look: (_tx, table, rows) => numbers(table, rows) },
  {
    findings: new Findings('preferred suppliers'),
    look: (tx, table, rows) => (table === 'items' ? preferred(tx, rows as RowOf<'items'>[]) : []),
  },
  ...stockChecks(),
  { findings: new Findings('order totals'), look: (tx, table, rows) => (table === 'orders' ? totals(tx, rows as RowOf<'orders'>[]) : []) },
];

/** Which field names a row of which table (invariant 17). What may be deleted while it is named is left out. */
const REFERENCES: { readonly [T in TableName]?: { readonly [F in keyof RowOf<T> & string]?: TableName } } = {
  categories: { parentId: 'categories' },
  items: { categoryId: 'categories', unitId: 'units', supplierId: 'contacts' },
  ingredients: { itemId: 'items', ingredientItemId: 'items', unitId: 'units' },
  supplierLinks: { itemId: 'items', supplierId: 'contacts', purchaseUnitId: 'units' },
  orders: {
    contactId: 'contacts',
    siteId: 'sites',
    assignedTo: 'users',
    sourceOrderId: 'orders',
    itemIds: 'items',
    stockDocumentIds: 'stockDocuments',
  },
  orderLines: { orderId: 'orders', itemId: 'items', unitId: 'units', siteId: 'sites' },
  stockDocuments: { siteIds: 'sites', contactId: 'contacts', orderId: 'orders', itemIds: 'items' },
  // A draft may name a line that its order has lost meanwhile; it is told so when it is submitted.
  stockDocumentLines: { documentId: 'stockDocuments', itemId: 'items', unitId: 'units' },
  ledger: { documentId: 'stockDocuments', documentLineId: 'stockDocumentLines', orderId: 'orders', itemId: 'items', siteId: 'sites' },
  stockLevels: { itemId: 'items', siteId: 'sites', categoryId: 'categories', unitId: 'units' },
};

async function references(tx: ReadTx, table: TableName, rows: readonly Row[]): Promise<Seen> {
  const seen: Seen = [];
  for (const [field, target] of Object.entries<TableName>(REFERENCES[table] ?? {})) {
    const named = rows.flatMap((row) => [fieldOf(row, field)].flat().flatMap((id) => (typeof id === 'string' ? [{ row, id }] : [])));
    const ids = [...new Set(named.map(({ id }) => id))];
    const found: readonly (Row | undefined)[] = await tx[target].getMany(ids);
    const missing = new Set(ids.filter((_, at) => found[at] === undefined));
    for (const { row, id } of named) {
      seen.push(missing.has(id) ? `${table} ${row.id} names ${target} ${id} as ${field}, which does not exist` : undefined);
    }
  }
  return seen;
}

/** The index leads from each value back to the row that has it, so no other row can have it. */
async function uniques(tx: ReadTx, name: TableName, rows: readonly Row[]): Promise<Seen> {
  const table: ReadTable<Row> = tx[name];
  const seen: Seen = [];
  for (const [key, { fields }] of Object.entries(tables[name].unique)) {
    for (const row of rows) {
      const values = fields.map((field) => fieldOf(row, field) ?? null) as Value[];
      if (values.some((value) => value === null || (typeof value === 'string' && value.trim() === ''))) continue;
      const found = await table.find(key, ...values);
      seen.push(
        found?.id === row.id
          ? undefined
          : `${name} ${row.id} has the ${key} ${values.join(', ')}, by which ${found?.id ?? 'nothing'} is found`,
      );
    }
  }
  return seen;
}

/** Every stored number is a safe integer (invariant 18). Audit rows show numbers as they are on the wire. */
function numbers(table: TableName, rows: readonly Row[]): Seen {
  const seen: Seen = [];
  for (const row of rows) {
    for (const [field, value] of Object.entries(row)) {
      if (table === 'auditEvents' && field === 'metadata') continue;
      const wrong = unsafe(value);
      if (wrong !== undefined) seen.push(`${table} ${row.id} has ${String(wrong)} in ${field}`);
      else if (typeof value === 'number') seen.push(undefined);
    }
  }
  return seen;
}

function unsafe(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? undefined : value;
  if (value === null || typeof value !== 'object') return undefined;
  return Object.values(value)
    .map(unsafe)
    .find((number) => number !== undefined);
}

/** At most one preferred link, and it is the item's supplier (invariant 15). */
async function preferred(tx: ReadTx, items: readonly RowOf<'items'>[]): Promise<Seen> {
  const where = [{ field: 'itemId', in: items.map(({ id }) => id) }];
  const { rows } = await tx.supplierLinks.after({ where, limit: Number.MAX_SAFE_INTEGER });
  const links = Map.groupBy(rows, ({ itemId }) => itemId);
  return items.map(({ id, supplierId, sku, name }) => {
    const own = links.get(id) ?? [];
    const marked = own.filter(({ isPreferred }) => isPreferred).map((link) => link.supplierId);
    if (own.length === 0 ? supplierId === null : marked.length === 1 && marked[0] === supplierId) return undefined;
    return `item ${sku ?? name} has the supplier ${String(supplierId)}, and ${marked.join(', ') || 'none'} as preferred link`;
  });
}

const SUMS = { subtotal: 'lineSubtotal', discountTotal: 'lineDiscount', taxTotal: 'lineTax', total: 'lineTotal' } as const;

/** An order has as many lines as it says, and its totals are their sums (invariant 18). */
async function totals(tx: ReadTx, orders: readonly RowOf<'orders'>[]): Promise<Seen> {
  const where = [{ field: 'orderId', in: orders.map(({ id }) => id) }];
  const { rows } = await tx.orderLines.after({ where, limit: Number.MAX_SAFE_INTEGER });
  const linesOf = Map.groupBy(rows, ({ orderId }) => orderId);
  return orders.flatMap((order) => {
    const lines = linesOf.get(order.id) ?? [];
    const counted =
      lines.length === order.lineCount
        ? undefined
        : `order ${order.orderNumber} has ${String(lines.length)} lines, and says ${String(order.lineCount)}`;
    const sums = (Object.keys(SUMS) as (keyof typeof SUMS)[]).map((field) => {
      const sum = lines.reduce((all, line) => all + line[SUMS[field]], 0);
      return sum === order[field]
        ? undefined
        : `order ${order.orderNumber} has ${field} ${String(order[field])}, its lines add up to ${String(sum)}`;
    });
    return [counted, ...sums];
  });
}
