/** Compares a remote service with its local copy. */
import type { Client } from '../../client/client.ts';
import { contactDraft, listContacts } from '../../contract/resources/contacts.ts';
import { itemDraft, listItems } from '../../contract/resources/items.ts';
import type { Operation } from '../../contract/operation.ts';
import { ORDER_MODULES, listOrders } from '../../contract/resources/orders.ts';
import { getValueAt } from '../output/fields.ts';
import { type Details, readItemDetails, readOrderDetails } from './diff-details.ts';
import { type IdMap, isCopiedVersion } from './id-map.ts';
import { type SourceReader, type SourceRecord, createSourceReader } from './source.ts';

export interface Difference {
  readonly kind: string;
  readonly name: string;
  readonly difference: string;
  /** The remote id; null if the record exists only here. */
  readonly id: string | null;
}

type Compared = Readonly<Record<string, unknown>>;

interface Comparison {
  readonly kind: 'contacts' | 'items' | 'orders';
  readonly what: string;
  readonly list: Operation;
  readonly queries: readonly Readonly<Record<string, string>>[];
  readonly getName: (record: SourceRecord) => string;
  /** Returns the fields to compare, with names instead of ids, because copies have other ids. */
  readonly getCompared: (record: SourceRecord) => Compared;
  /** Reads details that the list does not contain, if the remote record changed after it was copied. */
  readonly details?: (origin: SourceReader, id: string) => Promise<Details>;
  /** Whether the record and its parts are the versions that were copied. */
  readonly isCopied?: (record: SourceRecord, ids: IdMap) => boolean;
}

const pick = (record: SourceRecord, names: readonly string[]): Compared =>
  Object.fromEntries(names.map((name) => [name, record[name] ?? null]));
const idFields = ['categoryId', 'unitId', 'supplierId'];

export const COMPARISONS: readonly Comparison[] = [
  {
    kind: 'contacts',
    what: 'contact',
    list: listContacts,
    queries: [{}],
    getName: ({ name }) => String(name),
    getCompared: (record) => pick(record, Object.keys(contactDraft.properties)),
  },
  {
    kind: 'items',
    what: 'item',
    list: listItems,
    queries: [{}],
    getName: ({ name, sku }) => (typeof sku === 'string' ? `${sku} ${String(name)}` : String(name)),
    getCompared: (record) => ({
      ...pick(
        record,
        Object.keys(itemDraft.properties).filter((name) => !idFields.includes(name)),
      ),
      category: getValueAt(record, 'category.name') ?? null,
      supplier: getValueAt(record, 'supplier.name') ?? null,
    }),
    details: readItemDetails,
    isCopied: (record, ids) =>
      isCopiedVersion('items', record, ids) &&
      (record['itemType'] === 'material' || isCopiedVersion('recipes', record, ids)) &&
      (record['supplierId'] === null || isCopiedVersion('suppliers', record, ids)),
  },
  {
    kind: 'orders',
    what: 'order',
    list: listOrders,
    queries: ORDER_MODULES.map((module) => ({ module })),
    getName: ({ orderNumber }) => String(orderNumber),
    getCompared: (record) => ({
      ...pick(record, ['orderNumber', 'status', 'orderDate', 'dueDate', 'priority']),
      contact: getValueAt(record, 'contact.name') ?? null,
      site: getValueAt(record, 'site.name') ?? null,
    }),
    details: readOrderDetails,
    isCopied: (record, ids) => isCopiedVersion('orders', record, ids),
  },
];

/**
 * Yields the differences of contacts, items and orders. Ingredients, suppliers and lines are compared only if they changed remotely after they
 * were copied. Holds the local records in memory and reads the remote ones page by page.
 */
export async function* listDifferences(from: SourceReader, client: Client, ids: IdMap, houseId: string): AsyncGenerator<Difference> {
  const local = createSourceReader(client);
  for (const { kind, what, list, queries, getName, getCompared, details, isCopied } of COMPARISONS) {
    const here = new Map<string, { name: string; fields: Compared }>();
    for (const query of queries)
      for await (const { rows } of local.iteratePages(list, { query }))
        for (const row of rows) here.set(row.id, { name: getName(row), fields: getCompared(row) });
    for (const query of queries) {
      for await (const { rows } of from.iteratePages(list, { query })) {
        for (const row of rows) {
          const id = ids.get(kind, row.id)?.id ?? '';
          const copy = here.get(id);
          here.delete(id);
          let [there, mine]: [Compared, Compared] = [getCompared(row), copy?.fields ?? {}];
          if (copy && details && isCopied?.(row, ids) === false)
            [there, mine] = [
              { ...there, ...(await details(from, row.id)) },
              { ...mine, ...(await details(local, id)) },
            ];
          const changed = copy ? Object.keys(there).filter((name) => there[name] !== mine[name]) : [];
          const describe = (name: string) => `${name}: ${formatValue(mine[name])} here, ${formatValue(there[name])} there`;
          if (!copy) yield { kind: what, name: getName(row), difference: 'only there', id: row.id };
          else if (changed.length > 0) yield { kind: what, name: getName(row), difference: changed.map(describe).join('; '), id: row.id };
        }
      }
    }
    for (const [id, { name }] of here)
      if (id !== houseId) yield { kind: what, name, difference: 'only here', id: ids.getSourceId(kind, id) ?? null };
  }
}

export const formatValue = (value: unknown): string => (value === null || value === undefined ? 'nothing' : JSON.stringify(value));
