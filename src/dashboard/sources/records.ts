/** Finds records of the public API by id or by name. */
import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import { listContacts } from '../../contract/resources/contacts.ts';
import { listItems } from '../../contract/resources/items.ts';
import { ORDER_MODULES, type Order, listOrders } from '../../contract/resources/orders.ts';
import { listStockDocuments } from '../../contract/resources/stock-documents.ts';
import type { JumpTarget, RecordKind } from '../state/jump.ts';
import type { FoundRecord } from '../state/model.ts';
import { toOrderRow } from './business-rows.ts';
import { readWithRelated } from './related-records.ts';

interface Named {
  readonly id: string;
  readonly names: readonly (string | null)[];
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu;

/** The record with this id or name. */
export async function findByName(api: Client, { kind, name }: JumpTarget): Promise<FoundRecord | 'none' | 'several'> {
  if (UUID.test(name)) return readOne(api, kind, name).catch(ignoreNotFound);
  const wanted = name.toLowerCase();
  const found = (await searchers[kind](api, name)).filter(({ names }) => names.some((each) => each?.toLowerCase() === wanted));
  const [only, other] = found;
  if (other) return 'several';
  return only ? readOne(api, kind, only.id) : 'none';
}

function ignoreNotFound(error: unknown): 'none' {
  if (error instanceof ApiError && error.status === 404) return 'none';
  throw error;
}

const searchers: { readonly [K in RecordKind]: (api: Client, search: string) => Promise<readonly Named[]> } = {
  async items(api, search) {
    const { data } = (await api.perform(listItems, { query: { search, page_size: PAGE_SIZE_MAX } })).body;
    return data.map(({ id, name, sku }) => ({ id, names: [name, sku] }));
  },
  async contacts(api, search) {
    const { data } = (await api.perform(listContacts, { query: { search, page_size: PAGE_SIZE_MAX } })).body;
    return data.map(({ id, name, email }) => ({ id, names: [name, email] }));
  },
  async orders(api, search) {
    for (const module of ORDER_MODULES) {
      const { data } = (await api.perform(listOrders, { query: { module, search, page_size: PAGE_SIZE_MAX } })).body;
      const found = data.filter(({ orderNumber }) => orderNumber.toLowerCase() === search.toLowerCase());
      if (found.length > 0) return found.map(({ id, orderNumber }) => ({ id, names: [orderNumber] }));
    }
    return [];
  },
  async documents(api, search) {
    const { data } = (await api.perform(listStockDocuments, { query: { search, page_size: PAGE_SIZE_MAX } })).body;
    return data.map(({ id, documentNumber }) => ({ id, names: [documentNumber] }));
  },
};

const COLLECTIONS: Readonly<Record<RecordKind, string>> = {
  items: 'items',
  contacts: 'contacts',
  orders: 'orders',
  documents: 'stock-documents',
};

const readOne = async (api: Client, kind: RecordKind, id: string): Promise<FoundRecord> => {
  const path = `/v1/${COLLECTIONS[kind]}/${id}`;
  const value = await readWithRelated(api, path);
  // Among the rows of the tab, if it is late.
  return { path, value, ...(kind === 'orders' && { order: toOrderRow(value as Order, false) }) };
};
