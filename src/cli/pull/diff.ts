/** What differs between a service and its copy here. */
import type { Client } from '../../client/client.ts';
import { contactDraft, listContacts } from '../../contract/contacts.ts';
import { itemDraft, listItems } from '../../contract/items.ts';
import type { Operation } from '../../contract/operation.ts';
import { ORDER_MODULES, listOrders } from '../../contract/orders.ts';
import { type Details, itemDetails, orderDetails } from './diff-details.ts';
import type { IdMap, Kind } from './id-map.ts';
import { type Origin, type Rec, originOf } from './origin.ts';

export interface Difference {
  readonly kind: string;
  readonly name: string;
  readonly difference: string;
  /** The id there; null: it is only here. */
  readonly id: string | null;
}

type Compared = Readonly<Record<string, unknown>>;

interface Comparison {
  readonly kind: 'contacts' | 'items' | 'orders';
  readonly what: string;
  readonly list: Operation;
  readonly queries: readonly Readonly<Record<string, string>>[];
  readonly nameOf: (record: Rec) => string;
  /** What has to be the same: ids are told by names, because the copies have ids of their own. */
  readonly compared: (record: Rec) => Compared;
  /** What the list does not show; asked for on both sides when the record there is not the version that was copied. */
  readonly details?: (origin: Origin, id: string) => Promise<Details>;
  /** Whether the record is the version that was copied, with all that belongs to it. */
  readonly isCopied?: (record: Rec, ids: IdMap) => boolean;
}

const isCopiedAs = (kind: Kind, { id, updatedAt }: Rec, ids: IdMap): boolean => ids.get(kind, id)?.at === updatedAt;

const nameIn = (value: unknown): unknown => (value as { name?: unknown } | null | undefined)?.name ?? null;
const pick = (record: Rec, names: readonly string[]): Compared => Object.fromEntries(names.map((name) => [name, record[name] ?? null]));
const idFields = ['categoryId', 'unitId', 'supplierId'];

const COMPARISONS: readonly Comparison[] = [
  {
    kind: 'contacts',
    what: 'contact',
    list: listContacts,
    queries: [{}],
    nameOf: ({ name }) => String(name),
    compared: (record) => pick(record, Object.keys(contactDraft.properties)),
  },
  {
    kind: 'items',
    what: 'item',
    list: listItems,
    queries: [{}],
    nameOf: ({ name, sku }) => (typeof sku === 'string' ? `${sku} ${String(name)}` : String(name)),
    compared: (record) => ({
      ...pick(
        record,
        Object.keys(itemDraft.properties).filter((name) => !idFields.includes(name)),
      ),
      category: nameIn(record['category']),
      supplier: nameIn(record['supplier']),
    }),
    details: itemDetails,
    isCopied: (record, ids) =>
      isCopiedAs('items', record, ids) &&
      (record['itemType'] === 'material' || isCopiedAs('recipes', record, ids)) &&
      (record['supplierId'] === null || isCopiedAs('suppliers', record, ids)),
  },
  {
    kind: 'orders',
    what: 'order',
    list: listOrders,
    queries: ORDER_MODULES.map((module) => ({ module })),
    nameOf: ({ orderNumber }) => String(orderNumber),
    compared: (record) => ({
      ...pick(record, ['orderNumber', 'status', 'orderDate', 'dueDate', 'priority']),
      contact: nameIn(record['contact']),
      site: nameIn(record['site']),
    }),
    details: orderDetails,
    isCopied: (record, ids) => isCopiedAs('orders', record, ids),
  },
];

/** Every difference of contacts, items and orders; of recipes, suppliers and lines those that came there since they were copied. The side here is held in memory, the side there is read page by page. */
export async function* differencesOf(from: Origin, client: Client, ids: IdMap, houseId: string): AsyncGenerator<Difference> {
  const local = originOf(client);
  for (const { kind, what, list, queries, nameOf, compared, details, isCopied } of COMPARISONS) {
    const here = new Map<string, { name: string; fields: Compared }>();
    for (const query of queries)
      for await (const { rows } of local.pages(list, { query }))
        for (const row of rows) here.set(row.id, { name: nameOf(row), fields: compared(row) });
    for (const query of queries) {
      for await (const { rows } of from.pages(list, { query })) {
        for (const row of rows) {
          const id = ids.get(kind, row.id)?.id ?? '';
          const copy = here.get(id);
          here.delete(id);
          let [there, mine]: [Compared, Compared] = [compared(row), copy?.fields ?? {}];
          if (copy && details && isCopied?.(row, ids) === false)
            [there, mine] = [
              { ...there, ...(await details(from, row.id)) },
              { ...mine, ...(await details(local, id)) },
            ];
          const changed = copy ? Object.keys(there).filter((name) => there[name] !== mine[name]) : [];
          const tell = (name: string) => `${name}: ${shown(mine[name])} here, ${shown(there[name])} there`;
          if (!copy) yield { kind: what, name: nameOf(row), difference: 'only there', id: row.id };
          else if (changed.length > 0) yield { kind: what, name: nameOf(row), difference: changed.map(tell).join('; '), id: row.id };
        }
      }
    }
    for (const [id, { name }] of here)
      if (id !== houseId) yield { kind: what, name, difference: 'only here', id: ids.origin(kind, id) ?? null };
  }
}

const shown = (value: unknown): string => (value === null || value === undefined ? 'nothing' : JSON.stringify(value));
