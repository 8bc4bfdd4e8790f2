/** What is exported: the list that is read, the columns, and the rows of each record. */
import type { Interfaces } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { readAllRows } from '../../client/lists/pages.ts';
import type { Operation } from '../../contract/operation.ts';
import { contact, listContacts } from '../../contract/resources/contacts.ts';
import { listIngredients } from '../../contract/resources/ingredients.ts';
import { type Item, item, listItems } from '../../contract/resources/items.ts';
import { type Order, listOrders } from '../../contract/resources/orders.ts';
import { type StockLevel, listStockLevels } from '../../contract/resources/stock-levels.ts';
import { listSuppliers } from '../../contract/resources/suppliers.ts';
import type { AnySchema } from '../../contract/schema/builder.ts';
import { moduleArgs, selectModule } from '../orders/module-argument.ts';
import { flatMapRows, readWholeOrders } from '../records/order-with-lines.ts';
import type { References } from './rows/references.ts';

type Rows = readonly unknown[];
type Values = Readonly<Record<string, unknown>>;

export interface ExportSource {
  readonly client: Client;
  readonly references: References;
  /** Whether the rows have cells: names of records besides ids, and one row for each line. Otherwise they are as the service sends them. */
  readonly hasCells: boolean;
}

export interface Export {
  /** What is counted: the listed records (`items`), or their rows, if `countsRows`. */
  readonly plural: string;
  readonly countsRows?: boolean;
  readonly list: Operation;
  readonly columns: readonly string[];
  /** An argument that sets a filter, and the filters that it and its absence set. */
  readonly argument?: { readonly args: Interfaces.ArgInput; toFilters(args: Values, flags: Values): Values };
  /** What an import of the file does. Default: it reads the records back. */
  readonly importNote?: string;
  /** Filters that have no flag. */
  readonly without?: readonly string[];
  /** Whether a record can be a line of NDJSON. */
  readonly isCsvOnly?: boolean;
  /** Converts the rows of a page. */
  readonly toRows?: (rows: Rows, source: ExportSource) => Promise<Rows>;
}

/** Lists all fields of a record; of nested objects without their id, which the record contains as a field of its own. */
function listExportColumns(schema: AnySchema, prefix = ''): readonly string[] {
  if (schema.kind !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    if (field.kind === 'object') return listExportColumns(field, `${prefix}${name}.`).filter((column) => column !== `${prefix}${name}.id`);
    return [prefix + name];
  });
}

const UNIT = 'unit.symbol';

/** Adds the unit that a field refers to, which the rows do not have. A service of the given contract does not list its units. */
const addUnits =
  (field: string, name: string): NonNullable<Export['toRows']> =>
  async (rows, { references, hasCells }) => {
    if (!hasCells || !(await references.isAvailable('unit'))) return rows;
    return flatMapRows(rows as readonly Readonly<Record<string, unknown>>[], async (row) => {
      const id = row[field];
      return [{ ...row, [name]: typeof id === 'string' ? ((await references.getById('unit', id)) ?? null) : null }];
    });
  };

export const ITEM_EXPORT: Export = {
  plural: 'items',
  list: listItems,
  columns: [...listExportColumns(item), UNIT],
  toRows: addUnits('unitId', 'unit'),
};

export const CONTACT_EXPORT: Export = { plural: 'contacts', list: listContacts, columns: listExportColumns(contact) };

type ItemRow = Pick<Item, 'id' | 'name' | 'sku' | 'itemType' | 'supplierId'>;

/** The rows below those items that can have any, with the item of each. */
const listBelowItems =
  (list: Operation, canHaveRows: (item: ItemRow) => boolean): NonNullable<Export['toRows']> =>
  (items, { client }) =>
    flatMapRows((items as readonly ItemRow[]).filter(canHaveRows), async ({ id, name, sku }) => {
      const rows = await readAllRows<object>(client, list, { params: { item_id: id } });
      return rows.map((row) => ({ item: { id, sku, name }, ...row }));
    });

export const INGREDIENT_EXPORT: Export = {
  plural: 'ingredients',
  countsRows: true,
  list: listItems,
  columns: [
    'item.sku',
    'item.name',
    'ingredient.sku',
    'ingredient.name',
    'quantity',
    'perQuantity',
    UNIT,
    'wastePercent',
    'position',
    'notes',
  ],
  toRows: listBelowItems(listIngredients, ({ itemType }) => itemType !== 'material'),
};

export const SUPPLIER_EXPORT: Export = {
  plural: 'supplier links',
  countsRows: true,
  list: listItems,
  columns: [
    'item.sku',
    'item.name',
    'supplier.name',
    'supplier.company',
    'isPreferred',
    'supplierCode',
    'purchasePrice',
    'purchaseUnit.symbol',
    'unitsPerPurchaseUnit',
    'minOrderQuantity',
    'orderMultiple',
    'leadTimeDays',
    'notes',
  ],
  async toRows(rows, source) {
    return addUnits('purchaseUnitId', 'purchaseUnit')(
      await listBelowItems(listSuppliers, ({ supplierId }) => supplierId !== null)(rows, source),
      source,
    );
  },
};

export const ORDER_EXPORT: Export = {
  plural: 'orders',
  list: listOrders,
  columns: [
    'orderNumber',
    'module',
    'status',
    'contact.name',
    'contact.company',
    'orderDate',
    'dueDate',
    'site.name',
    'priority',
    'reference',
    'notes',
    'externalId',
    'metadata',
    'lines.kind',
    'lines.item.sku',
    'lines.item.name',
    'lines.description',
    'lines.quantity',
    'lines.unit.symbol',
    'lines.unitPrice',
    'lines.discountPercent',
    'lines.taxPercent',
    'lines.notes',
  ],
  argument: { args: moduleArgs, toFilters: (args, flags) => ({ module: selectModule(args, flags) }) },
  importNote: 'An import creates new orders from its drafts and open ones; pass it --map orderNumber= where their numbers are taken.',
  without: ['include'],
  async toRows(rows, { client, hasCells }) {
    const orders = await readWholeOrders(
      client,
      (rows as readonly Order[]).map(({ id }) => id),
    );
    if (!hasCells) return orders;
    return orders.flatMap(({ lines = [], ...order }) => (lines.length === 0 ? [null] : lines).map((line) => ({ ...order, lines: line })));
  },
};

/** Rows of levels, but virtual ones. Sites have a code, which unlike their name is unique, in the list of sites only, which not every service has. */
const toStockRows =
  (toRow: (level: StockLevel) => object | null): NonNullable<Export['toRows']> =>
  async (rows, { references }) => {
    const hasCodes = await references.isAvailable('site');
    return flatMapRows(rows as readonly StockLevel[], async (level) => {
      const row = level.isVirtual === true ? null : toRow(level);
      if (row === null) return [];
      const site = hasCodes ? await references.getById('site', level.siteId) : undefined;
      return [{ ...row, site: site ?? level.site }];
    });
  };

const LEVELS = { plural: 'levels', countsRows: true, list: listStockLevels, isCsvOnly: true };

/** A sheet to fill in: what is expected at each site, and an empty column for what is counted. */
export const COUNT_SHEET: Export = {
  ...LEVELS,
  columns: ['site.code', 'site.name', 'item.sku', 'item.name', UNIT, 'expectedQuantity', 'countedQuantity'],
  toRows: toStockRows((level) => ({ ...level, expectedQuantity: Math.max(0, level.onHand), countedQuantity: null })),
};

/** What another service starts with. */
export const STOCK_ON_HAND: Export = {
  ...LEVELS,
  columns: ['site.code', 'site.name', 'item.sku', 'item.name', 'quantity', UNIT, 'unitCost'],
  toRows: toStockRows((level) => (level.onHand > 0 ? { ...level, quantity: level.onHand, unitCost: level.averageCost } : null)),
};
