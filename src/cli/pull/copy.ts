/**
 * Copies the records of a service into a tenant here, kind by kind, so that what a record refers to is there before it. Everything goes
 * through /v1 of the local daemon, so every rule holds for the copy too. What was copied at the version it has there is passed over.
 */
import type { Client } from '../../client/client.ts';
import type { ApiError } from '../../client/errors.ts';
import type { LooseParts } from '../../client/request.ts';
import type { Unit } from '../../contract/admin/units.ts';
import { createContact, listContacts, updateContact } from '../../contract/contacts.ts';
import { createIngredient, listIngredients, updateIngredient } from '../../contract/ingredients.ts';
import { createItem, listItems, updateItem } from '../../contract/items.ts';
import type { Operation } from '../../contract/operation.ts';
import { ORDER_MODULES, createOrder, getOrder, listOrders, updateOrder } from '../../contract/orders.ts';
import { listOrderLines } from '../../contract/order-lines.ts';
import { createSupplier, listSuppliers, updateSupplier } from '../../contract/suppliers.ts';
import { newPace } from '../bulk/pace.ts';
import { type Request, blamesTheRow, sendAll } from '../bulk/send.ts';
import { type Draft, draftOf, ingredientOf, itemOf, orderOf, supplierOf } from './drafts.ts';
import type { IdMap, Kind } from './id-map.ts';
import type { Origin, Rec } from './origin.ts';
import { orderChanges } from './order-changes.ts';
import type { Settings } from './settings.ts';

export interface Copying {
  readonly from: Origin;
  /** Clients of the tenant here, one for each connection. */
  readonly lanes: readonly Client[];
  readonly ids: IdMap;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  /** The company itself, which every tenant has as a contact: its name there, its id here. */
  readonly house: { readonly name: string; readonly id: string };
  /** `total`: rows of this kind there. */
  readonly onCopied: (kind: Kind, outcome: 'copied' | 'unchanged' | 'refused', total: number) => void;
  readonly onRefused: (kind: Kind, record: Rec, error: ApiError | Error) => void;
}

export async function copyContacts(copying: Copying): Promise<void> {
  const { from, house, ids } = copying;
  await copyKind(copying, 'contacts', from.pages(listContacts), async (record, write) => {
    const isHouse = record['name'] === house.name && record['contactGroup'] === 'internal';
    // An inactive contact could not be linked to what it supplied: it is put out of use at the end.
    const body = { ...draftOf(createContact.body, record), isActive: true };
    const known = isHouse ? house.id : ids.get('contacts', record.id)?.id;
    return known === undefined ? write(createContact, { body }) : write(updateContact, { params: { contact_id: known }, body });
  });
}

export async function copyItems(copying: Copying): Promise<void> {
  const { from, ids, settings } = copying;
  let turn: Promise<unknown> = Promise.resolve();
  await copyKind(copying, 'items', from.pages(listItems), async (record, write) => {
    const body = { ...(await itemOf(createItem.body, record, settings)), isActive: true };
    const known = ids.get('items', record.id)?.id;
    if (known === undefined) return write(createItem, { body });
    const update = () => write(updateItem, { params: { item_id: known }, body });
    return update().catch((error: unknown) => {
      if (holderOf(error, ids) === undefined) throw error;
      // One at a time, or two that exchange their codes would take them from each other for ever.
      const moved = turn.then(update).catch(async (again: unknown) => {
        const holder = holderOf(again, ids);
        if (holder === undefined) throw again;
        await write(updateItem, { params: { item_id: holder }, body: { sku: null, barcode: null } });
        return update();
      });
      turn = moved.catch(() => undefined);
      return moved;
    });
  });
}

/** The copy that has a code which moved to another item there: it lets go of it, and gets its own in its turn. */
function holderOf(error: unknown, ids: IdMap): string | undefined {
  const holder = blamesTheRow(error) && error.code === 'DUPLICATE_VALUE' ? error.details?.['existingId'] : undefined;
  return typeof holder === 'string' && ids.origin('items', holder) !== undefined ? holder : undefined;
}

/** What items are made of; all items are there by now. */
export async function copyRecipes(copying: Copying): Promise<void> {
  const { from, ids, settings } = copying;
  await copyKind(
    copying,
    'recipes',
    only(from.pages(listItems), (record) => record['itemType'] !== 'material'),
    async (record, write) => {
      const item_id = ids.get('items', record.id)?.id;
      if (item_id === undefined) return undefined;
      for (const row of await from.all(listIngredients, { params: { item_id: record.id } })) {
        await settings.meetUnit(row['unit'] as never);
        const body = ingredientOf(createIngredient.body, row, ids, settings);
        if (!body) continue;
        const twin = (ingredient_id: string) => write(updateIngredient, { params: { item_id, ingredient_id }, body });
        await write(createIngredient, { params: { item_id }, body }, twin);
      }
      return item_id;
    },
  );
}

export async function copySuppliers(copying: Copying): Promise<void> {
  const { from, ids, settings } = copying;
  await copyKind(
    copying,
    'suppliers',
    only(from.pages(listItems), (record) => typeof record['supplierId'] === 'string'),
    async (record, write) => {
      const item_id = ids.get('items', record.id)?.id;
      if (item_id === undefined) return undefined;
      for (const row of await from.all(listSuppliers, { params: { item_id: record.id } })) {
        const body = supplierOf(createSupplier.body, row, ids, settings);
        if (!body) continue;
        const { supplierId, ...terms } = body;
        const twin = () => write(updateSupplier, { params: { item_id, supplier_id: String(supplierId) }, body: terms });
        await write(createSupplier, { params: { item_id }, body }, twin);
      }
      return item_id;
    },
  );
}

/** Orders with their lines, moved on to the status that they have there. */
export async function copyOrders(copying: Copying, unitOfItem: (id: string) => Unit | null): Promise<void> {
  const { from, ids, settings } = copying;
  for (const module of ORDER_MODULES) {
    await copyKind(copying, 'orders', from.pages(listOrders, { query: { module } }), async (row, write, read) => {
      const params = { order_id: row.id };
      const record = await from.one(getOrder, { params });
      const body = await orderOf(record, await from.all(listOrderLines, { params }), { ids, settings, unitOfItem });
      const known = ids.get('orders', row.id)?.id;
      if (known !== undefined) {
        const here = await read(getOrder, { params: { order_id: known }, query: { include: ['lines'] } });
        const changes = orderChanges(body, here);
        if (Object.keys(changes).length > 0) await write(updateOrder, { params: { order_id: known }, body: changes });
        await moveOn(record, known, String(here['status']), write);
        return known;
      }
      const status = isUnopened(record['status']) ? 'draft' : 'open';
      const id = await write(createOrder, { body: { ...body, status } });
      if (id !== undefined) await moveOn(record, id, status, write);
      return id;
    });
  }
}

const isUnopened = (status: unknown): boolean => status === 'draft' || status === 'cancelled';

/** From one status to that of the record, by way of open where the rules ask for it. */
async function moveOn(record: Rec, id: string, from: string, write: Write): Promise<void> {
  const status = String(record['status']);
  const more: Draft =
    status === 'completed'
      ? { stock: record['closedShort'] === true ? 'none' : 'auto' }
      : status === 'cancelled' && typeof record['cancelReason'] === 'string'
        ? { cancelReason: record['cancelReason'] }
        : {};
  const move = (body: Draft) => write(updateOrder, { params: { order_id: id }, body });
  if (from === status) return;
  const isByOpen = (from === 'draft' && !isUnopened(status)) || status === 'draft';
  if (isByOpen && from !== 'open' && status !== 'open') await move({ status: 'open' });
  await move({ status, ...more });
}

/** Puts out of use what is out of use there. */
export async function retire({ from, lanes, ids }: Pick<Copying, 'from' | 'lanes' | 'ids'>): Promise<void> {
  const [client] = lanes;
  const retireAll = async (kind: 'contacts' | 'items', list: Operation, update: Operation, param: string) => {
    for await (const { rows } of from.pages(list))
      for (const row of rows) {
        const id = ids.get(kind, row.id)?.id;
        if (row['isActive'] === false && id !== undefined)
          await client?.perform(update, { params: { [param]: id }, body: { isActive: false } });
      }
  };
  await retireAll('items', listItems, updateItem, 'item_id');
  await retireAll('contacts', listContacts, updateContact, 'contact_id');
}

/** Sends one write here and returns the id of what it wrote; `twin`: what to do when that is there already. */
type Write = (op: Operation, parts: LooseParts, twin?: (existingId: string) => Promise<string | undefined>) => Promise<string | undefined>;

/** Reads one record here. */
type Read = (op: Operation, parts: LooseParts) => Promise<Rec>;

type CopyOne = (record: Rec, write: Write, read: Read) => Promise<string | undefined>;

interface Sent {
  readonly id?: string;
  readonly unchanged?: true;
  readonly error?: ApiError;
}

async function copyKind(
  { lanes, ids, signal, onCopied, onRefused }: Copying,
  kind: Kind,
  pages: AsyncIterable<{ rows: readonly Rec[]; total: number }>,
  copyOne: CopyOne,
): Promise<void> {
  let total = 0;
  const rows = async function* (): AsyncGenerator<Rec> {
    for await (const page of pages) {
      total = page.total;
      yield* page.rows;
    }
  };
  await sendAll<Rec, Sent>({
    rows: rows(),
    lanes,
    pace: newPace({ signal, maxWait: Infinity }),
    signal,
    async send(record, request) {
      if (ids.get(kind, record.id)?.at === versionOf(record)) return { unchanged: true };
      try {
        const read: Read = async (op, parts) => ((await request((client) => client.perform(op, parts))).body as { data: Rec }).data;
        const id = await copyOne(record, writer(kind, record, request), read);
        return id === undefined ? {} : { id };
      } catch (error) {
        if (!blamesTheRow(error)) throw error;
        return { error };
      }
    },
    settle(record, { id, unchanged, error }) {
      if (id !== undefined) ids.add(kind, record.id, { id, at: versionOf(record) });
      if (error) onRefused(kind, record, error);
      onCopied(kind, error ? 'refused' : unchanged ? 'unchanged' : 'copied', total);
    },
  });
}

const versionOf = (record: Rec): string => record.updatedAt ?? '';

/** Every write has a key made from what is copied, so a pull that goes on after a crash writes nothing twice. */
function writer(kind: Kind, record: Rec, request: Request): Write {
  const { hash } = process.getBuiltinModule('node:crypto');
  return async (op, parts, twin) => {
    const text = `${kind} ${record.id} ${versionOf(record)} ${op.id} ${JSON.stringify(parts)}`;
    const idempotencyKey = `pull-${hash('sha256', text).slice(0, 40)}`;
    try {
      const { body } = await request((client) => client.perform(op, parts, { idempotencyKey }));
      return (body as { data: { id?: string } }).data.id;
    } catch (error) {
      if (!blamesTheRow(error) || error.code !== 'DUPLICATE_VALUE') throw error;
      const existing = error.details?.['existingId'];
      // Made by a pull that was cut off longer ago than the service remembers its replies.
      if (twin) return twin(String(existing));
      if (typeof existing === 'string' && op.method === 'POST') return existing;
      throw error;
    }
  };
}

async function* only(
  pages: AsyncIterable<{ rows: readonly Rec[]; total: number }>,
  wanted: (record: Rec) => boolean,
): AsyncGenerator<{ rows: readonly Rec[]; total: number }> {
  for await (const { rows, total } of pages) yield { rows: rows.filter(wanted), total };
}
