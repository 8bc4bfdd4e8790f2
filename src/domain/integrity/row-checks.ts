/** Checks that apply to single rows and the rows they reference. */
import { type TableRow, type TableName, getField } from './table-walk.ts';
import { createStockChecks } from './stock-checks.ts';
import { Findings, type Problems } from './findings.ts';
import type { ReadTable, Row, Value } from '../kernel/ports.ts';
import { type ReadTx, tables } from '../tables.ts';

/** A check that gets the rows of every table, page by page, and ignores tables it does not apply to. */
export interface RowCheck {
  readonly findings: Findings;
  run(tx: ReadTx, table: TableName, rows: readonly Row[]): Problems | Promise<Problems>;
}

export const createRowChecks = (): RowCheck[] => [
  { findings: new Findings('references'), run: checkReferences },
  { findings: new Findings('unique values'), run: checkUniqueValues },
  { findings: new Findings('numbers'), run: (_tx, table, rows) => checkNumbers(table, rows) },
  {
    findings: new Findings('preferred suppliers'),
    run: (tx, table, rows) => (table === 'items' ? checkPreferredSuppliers(tx, rows as TableRow<'items'>[]) : []),
  },
  ...createStockChecks(),
  {
    findings: new Findings('order totals'),
    run: (tx, table, rows) => (table === 'orders' ? checkOrderTotals(tx, rows as TableRow<'orders'>[]) : []),
  },
];

/** Which fields reference which table (D-25), except references to rows that may be deleted meanwhile. */
const REFERENCES: { readonly [T in TableName]?: { readonly [F in keyof TableRow<T> & string]?: TableName } } = {
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
  // Without orderLineId: a draft may reference an order line that was deleted, and is refused when it is submitted.
  stockDocumentLines: { documentId: 'stockDocuments', itemId: 'items', unitId: 'units' },
  ledger: { documentId: 'stockDocuments', documentLineId: 'stockDocumentLines', orderId: 'orders', itemId: 'items', siteId: 'sites' },
  stockLevels: { itemId: 'items', siteId: 'sites', categoryId: 'categories', unitId: 'units' },
};

async function checkReferences(tx: ReadTx, table: TableName, rows: readonly Row[]): Promise<Problems> {
  const checked = Object.entries<TableName>(REFERENCES[table] ?? {}).map(async ([field, target]): Promise<Problems> => {
    const references = rows.flatMap((row) => [getField(row, field)].flat().flatMap((id) => (typeof id === 'string' ? [{ row, id }] : [])));
    const missing = new Set(await tx[target].listMissing([...new Set(references.map(({ id }) => id))]));
    return references.map(({ row, id }) =>
      missing.has(id) ? `${table} ${row.id} references ${target} ${id} as ${field}, which does not exist` : undefined,
    );
  });
  return (await Promise.all(checked)).flat();
}

/** The unique index must lead from each value back to its row, so no other row can have the value. */
async function checkUniqueValues(tx: ReadTx, name: TableName, rows: readonly Row[]): Promise<Problems> {
  const table: Pick<ReadTable<Row>, 'findUniqueIds'> = tx[name];
  const problems: Problems = [];
  for (const [key, { fields }] of Object.entries(tables[name].unique)) {
    const compared = rows
      .map((row) => ({ row, values: fields.map((field) => getField(row, field) ?? null) as Value[] }))
      .filter(({ values }) => !values.some((value) => value === null || (typeof value === 'string' && value.trim() === '')));
    // All values of a page together: one after the other, a database would need a round trip for each.
    const owners = await table.findUniqueIds(
      key,
      compared.map(({ values }) => values),
    );
    for (const [at, { row, values }] of compared.entries()) {
      const found = owners[at];
      problems.push(
        found === row.id ? undefined : `${name} ${row.id} has the ${key} ${values.join(', ')}, which finds ${found ?? 'no row'}`,
      );
    }
  }
  return problems;
}

/** Every stored number must be a safe integer (D-25), except in the metadata of audit rows, which holds JSON numbers. */
function checkNumbers(table: TableName, rows: readonly Row[]): Problems {
  const problems: Problems = [];
  for (const row of rows) {
    for (const [field, value] of Object.entries(row)) {
      if (table === 'auditEvents' && field === 'metadata') continue;
      const unsafeNumber = findUnsafeNumber(value);
      if (unsafeNumber !== undefined) problems.push(`${table} ${row.id} has ${String(unsafeNumber)} in ${field}`);
      else if (typeof value === 'number') problems.push(undefined);
    }
  }
  return problems;
}

function findUnsafeNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? undefined : value;
  if (value === null || typeof value !== 'object') return undefined;
  return Object.values(value)
    .map(findUnsafeNumber)
    .find((number) => number !== undefined);
}

/** An item with suppliers has exactly one preferred supplier link, to the item's own supplier (D-25). */
async function checkPreferredSuppliers(tx: ReadTx, items: readonly TableRow<'items'>[]): Promise<Problems> {
  const where = [{ field: 'itemId', in: items.map(({ id }) => id) }];
  const { rows } = await tx.supplierLinks.listAfter({ where, limit: Number.MAX_SAFE_INTEGER });
  const links = Map.groupBy(rows, ({ itemId }) => itemId);
  return items.map(({ id, supplierId, sku, name }) => {
    const itemLinks = links.get(id) ?? [];
    const preferredIds = itemLinks.filter(({ isPreferred }) => isPreferred).map((link) => link.supplierId);
    if (itemLinks.length === 0 ? supplierId === null : preferredIds.length === 1 && preferredIds[0] === supplierId) return undefined;
    return `item ${sku ?? name} has supplier ${String(supplierId)}, but its preferred supplier links are ${preferredIds.join(', ') || 'none'}`;
  });
}

const TOTAL_FIELDS = { subtotal: 'lineSubtotal', discountTotal: 'lineDiscount', taxTotal: 'lineTax', total: 'lineTotal' } as const;

/** The line count and totals of an order must match its lines (D-25). */
async function checkOrderTotals(tx: ReadTx, orders: readonly TableRow<'orders'>[]): Promise<Problems> {
  const where = [{ field: 'orderId', in: orders.map(({ id }) => id) }];
  const { rows } = await tx.orderLines.listAfter({ where, limit: Number.MAX_SAFE_INTEGER });
  const linesByOrder = Map.groupBy(rows, ({ orderId }) => orderId);
  return orders.flatMap((order) => {
    const lines = linesByOrder.get(order.id) ?? [];
    const lineCountProblem =
      lines.length === order.lineCount
        ? undefined
        : `order ${order.orderNumber} has lineCount ${String(order.lineCount)}, but ${String(lines.length)} lines`;
    const totalProblems = (Object.keys(TOTAL_FIELDS) as (keyof typeof TOTAL_FIELDS)[]).map((field) => {
      const sum = lines.reduce((all, line) => all + line[TOTAL_FIELDS[field]], 0);
      return sum === order[field]
        ? undefined
        : `order ${order.orderNumber} has ${field} ${String(order[field])}, but its lines add up to ${String(sum)}`;
    });
    return [lineCountProblem, ...totalProblems];
  });
}
