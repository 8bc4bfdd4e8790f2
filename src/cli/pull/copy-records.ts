/**
 * Copies the records of a remote service to a local tenant, kind by kind, so that a record is copied after the records it refers to. All
 * writes use /v1 of the local daemon, so the copy obeys all rules. Records that were already copied in their current version are skipped.
 */
import type { Client } from '../../client/client.ts';
import type { ApiError } from '../../client/errors.ts';
import type { LooseParts } from '../../client/request.ts';
import type { Unit } from '../../contract/resources/setting-records.ts';
import { createContact, listContacts, updateContact } from '../../contract/resources/contacts.ts';
import { createIngredient, listIngredients, updateIngredient } from '../../contract/resources/ingredients.ts';
import { createItem, listItems, updateItem } from '../../contract/resources/items.ts';
import type { Operation } from '../../contract/operation.ts';
import { ORDER_MODULES, createOrder, getOrder, listOrders, updateOrder } from '../../contract/resources/orders.ts';
import { createSupplier, listSuppliers, updateSupplier } from '../../contract/resources/suppliers.ts';
import { RateLimiter } from '../bulk/rate-limiter.ts';
import { type SendRequest, isRowError, sendAll } from '../bulk/send.ts';
import { type Draft, toDraft, toIngredientDraft, toItemDraft, toOrderDraft, toSupplierDraft } from './request-bodies.ts';
import { type IdMap, type Kind, getVersion, isCopiedVersion } from './id-map.ts';
import type { SourceReader, SourceRecord } from './source.ts';
import { getOrderChanges } from './order-changes.ts';
import type { Ref, Settings } from './settings.ts';

export interface CopyOptions {
  readonly source: SourceReader;
  /** Clients of the local tenant, one per connection. */
  readonly clients: readonly Client[];
  readonly ids: IdMap;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  /** The contact for the company itself, which every tenant has: its remote name and its local id. */
  readonly houseContact: { readonly name: string; readonly id: string };
  /** `total`: number of remote records of this kind. */
  readonly onCopied: (kind: Kind, outcome: 'copied' | 'unchanged' | 'refused', total: number) => void;
  readonly onRefused: (kind: Kind, record: SourceRecord, error: Error) => void;
  /** Inactive records whose copies are active until all links to them are copied. */
  readonly inactive: { readonly kind: Kind; readonly record: SourceRecord }[];
}

export async function copyContacts(options: CopyOptions): Promise<void> {
  const { source, houseContact, ids } = options;
  const pages = source.iteratePages(listContacts);
  await copyKind({ ...options, isActiveForNow: true }, 'contacts', pages, async (record, write) => {
    const isHouse = record['name'] === houseContact.name && record['contactGroup'] === 'internal';
    // Inactive contacts cannot be linked to items; they are deactivated at the end.
    const body = { ...toDraft(createContact.body, record), isActive: true };
    const existingId = isHouse ? houseContact.id : ids.get('contacts', record.id)?.id;
    return existingId === undefined ? write(createContact, { body }) : write(updateContact, { params: { contact_id: existingId }, body });
  });
}

export async function copyItems(options: CopyOptions): Promise<void> {
  const { source, ids, settings } = options;
  let previousMove: Promise<unknown> = Promise.resolve();
  await copyKind({ ...options, isActiveForNow: true }, 'items', source.iteratePages(listItems), async (record, write) => {
    const body = { ...(await toItemDraft(record, settings)), isActive: true };
    const known = ids.get('items', record.id)?.id;
    if (known === undefined) return write(createItem, { body });
    const update = () => write(updateItem, { params: { item_id: known }, body });
    return update().catch((error: unknown) => {
      if (findCodeHolder(error, ids) === undefined) throw error;
      // One at a time, or two items that swap their codes would take them from each other forever.
      const move = previousMove.then(update).catch(async (again: unknown) => {
        const holder = findCodeHolder(again, ids);
        if (holder === undefined) throw again;
        await write(updateItem, { params: { item_id: holder }, body: { sku: null, barcode: null } });
        return update();
      });
      previousMove = move.catch(() => undefined);
      return move;
    });
  });
}

/** Finds the copy that still has a code which now belongs to another remote item. Its code is removed first; its own follows later. */
function findCodeHolder(error: unknown, ids: IdMap): string | undefined {
  const holder = isRowError(error) && error.code === 'DUPLICATE_VALUE' ? error.details?.['existingId'] : undefined;
  return typeof holder === 'string' && ids.getSourceId('items', holder) !== undefined ? holder : undefined;
}

export async function copyRecipes(options: CopyOptions): Promise<void> {
  const { ids, settings } = options;
  const hasRecipe = ({ itemType }: SourceRecord): boolean => itemType !== 'material';
  await copyBelowItems(options, 'recipes', hasRecipe, listIngredients, async (row, item_id, write) => {
    await settings.findOrCreateUnit(row['unit'] as Ref | null | undefined);
    const body = toIngredientDraft(row, ids, settings);
    const onDuplicate = (ingredient_id: string) => write(updateIngredient, { params: { item_id, ingredient_id }, body });
    if (body) await write(createIngredient, { params: { item_id }, body }, onDuplicate);
  });
}

export async function copySuppliers(options: CopyOptions): Promise<void> {
  const hasSupplier = ({ supplierId }: SourceRecord): boolean => typeof supplierId === 'string';
  await copyBelowItems(options, 'suppliers', hasSupplier, listSuppliers, async (row, item_id, write) => {
    const body = toSupplierDraft(row, options.ids, options.settings);
    if (!body) return;
    const { supplierId, ...terms } = body;
    const onDuplicate = () => write(updateSupplier, { params: { item_id, supplier_id: String(supplierId) }, body: terms });
    await write(createSupplier, { params: { item_id }, body }, onDuplicate);
  });
}

/** Copies the rows below those items that have any, after all items. */
async function copyBelowItems(
  options: CopyOptions,
  kind: Kind,
  hasRows: (item: SourceRecord) => boolean,
  list: Operation,
  copyRow: (row: SourceRecord, item_id: string, write: Write) => Promise<void>,
): Promise<void> {
  const { source, ids } = options;
  await copyKind(options, kind, filterPages(source.iteratePages(listItems), hasRows), async (record, write) => {
    const item_id = ids.get('items', record.id)?.id;
    if (item_id === undefined) return undefined;
    for (const row of await source.getAll(list, { params: { item_id: record.id } })) await copyRow(row, item_id, write);
    return item_id;
  });
}

/** Copies orders with their lines and their status. */
export async function copyOrders(options: CopyOptions, getItemUnit: (id: string) => Unit | null): Promise<void> {
  const { source, ids, settings } = options;
  for (const module of ORDER_MODULES) {
    const pages = readChangedOrders(source.iteratePages(listOrders, { query: { module } }), options);
    await copyKind(options, 'orders', pages, async (record, write, read) => {
      const body = await toOrderDraft(record, record['lines'] as SourceRecord[], { ids, settings, getItemUnit });
      const existingId = ids.get('orders', record.id)?.id;
      if (existingId !== undefined) {
        const copy = await read(getOrder, { params: { order_id: existingId }, query: { include: ['lines'] } });
        const changes = getOrderChanges(body, copy);
        if (Object.keys(changes).length > 0) await write(updateOrder, { params: { order_id: existingId }, body: changes });
        await applyStatus(record, existingId, String(copy['status']), write);
        return existingId;
      }
      const status = isDraftOrCancelled(record['status']) ? 'draft' : 'open';
      const id = await write(createOrder, { body: { ...body, status } });
      if (id !== undefined) await applyStatus(record, id, status, write);
      return id;
    });
  }
}

/** Reads the lines of orders that are going to be copied, many at a time. An order that was deleted meanwhile is left out. */
async function* readChangedOrders(pages: Pages, { source, ids }: CopyOptions): Pages {
  for await (const { rows, total } of pages) {
    const isUnchanged = (row: SourceRecord) => isCopiedVersion('orders', row, ids);
    const changed = rows.filter((row) => !isUnchanged(row)).map(({ id }) => id);
    const whole = new Map((await source.getWholeOrders(changed)).map((order) => [order.id, order]));
    yield { rows: rows.flatMap((row) => (isUnchanged(row) ? row : (whole.get(row.id) ?? []))), total };
  }
}

const isDraftOrCancelled = (status: unknown): boolean => status === 'draft' || status === 'cancelled';

/** Changes the status of a copy to that of the record, via `open` if the rules require it. */
async function applyStatus(record: SourceRecord, id: string, from: string, write: Write): Promise<void> {
  const status = String(record['status']);
  if (from === status) return;
  const more: Draft =
    status === 'completed'
      ? { stock: record['closedShort'] === true ? 'none' : 'auto' }
      : status === 'cancelled' && typeof record['cancelReason'] === 'string'
        ? { cancelReason: record['cancelReason'] }
        : {};
  const move = (body: Draft) => write(updateOrder, { params: { order_id: id }, body });
  const isByOpen = status === 'draft' || (from === 'draft' && !isDraftOrCancelled(status));
  if (isByOpen && from !== 'open' && status !== 'open') await move({ status: 'open' });
  await move({ status, ...more });
}

/** Deactivates the copies of inactive contacts and items that this pull has written. */
export async function deactivateRecords(options: CopyOptions): Promise<void> {
  const deactivate = async (kind: Kind, update: Operation, param: string) => {
    const rows = options.inactive.flatMap((each) => (each.kind === kind ? each.record : []));
    // They have been counted.
    await copyKind({ ...options, onCopied: () => undefined }, kind, toPage(rows), (record, write) =>
      write(update, { params: { [param]: options.ids.get(kind, record.id)?.id ?? '' }, body: { isActive: false } }),
    );
  };
  await deactivate('items', updateItem, 'item_id');
  await deactivate('contacts', updateContact, 'contact_id');
}

async function* toPage(rows: readonly SourceRecord[]): Pages {
  yield await Promise.resolve({ rows, total: rows.length });
}

/** Sends a write to the local service and returns the id of the record. `onDuplicate` handles a record that already exists. */
type Write = (
  op: Operation,
  parts: LooseParts,
  onDuplicate?: (existingId: string) => Promise<string | undefined>,
) => Promise<string | undefined>;

type Pages = AsyncGenerator<{ rows: readonly SourceRecord[]; total: number }>;

/** Reads a local record. */
type Read = (op: Operation, parts: LooseParts) => Promise<SourceRecord>;

type CopyOne = (record: SourceRecord, write: Write, read: Read) => Promise<string | undefined>;

interface CopyResult {
  readonly id?: string;
  readonly unchanged?: true;
  readonly error?: ApiError;
}

/** `isActiveForNow`: copies of inactive records are active. Until they are deactivated, too, the next pull copies these records again. */
async function copyKind(
  { clients, ids, signal, inactive, isActiveForNow = false, onCopied, onRefused }: CopyOptions & { readonly isActiveForNow?: boolean },
  kind: Kind,
  pages: Pages,
  copyOne: CopyOne,
): Promise<void> {
  let total = 0;
  const rows = async function* (): AsyncGenerator<SourceRecord> {
    for await (const page of pages) {
      total = page.total;
      yield* page.rows;
    }
  };
  await sendAll<SourceRecord, CopyResult>({
    rows: rows(),
    clients,
    limiter: new RateLimiter({ signal, maxWait: Infinity }),
    signal,
    async send(record, request) {
      if (isCopiedVersion(kind, record, ids)) return { unchanged: true };
      try {
        const read: Read = async (op, parts) =>
          ((await request((client) => client.perform(op, parts))).body as { data: SourceRecord }).data;
        const id = await copyOne(record, createWriter(kind, record, request), read);
        return id === undefined ? {} : { id };
      } catch (error) {
        if (!isRowError(error)) throw error;
        return { error };
      }
    },
    onResult(record, { id, unchanged, error }) {
      const isUnfinished = isActiveForNow && record['isActive'] === false;
      if (id !== undefined) ids.add(kind, record.id, { id, at: isUnfinished ? '' : getVersion(record) });
      if (id !== undefined && isUnfinished) inactive.push({ kind, record });
      if (error) onRefused(kind, record, error);
      onCopied(kind, error ? 'refused' : unchanged ? 'unchanged' : 'copied', total);
    },
  });
}

/** Derives the idempotency keys from the copied data, so that a pull that is repeated after a crash writes nothing twice. */
function createWriter(kind: Kind, record: SourceRecord, request: SendRequest): Write {
  const { hash } = process.getBuiltinModule('node:crypto');
  return async (op, parts, onDuplicate) => {
    const text = `${kind} ${record.id} ${getVersion(record)} ${op.id} ${JSON.stringify(parts)}`;
    const idempotencyKey = `pull-${hash('sha256', text).slice(0, 40)}`;
    try {
      const { body } = await request((client) => client.perform(op, parts, { idempotencyKey }));
      return (body as { data: { id?: string } }).data.id;
    } catch (error) {
      if (!isRowError(error) || error.code !== 'DUPLICATE_VALUE') throw error;
      const existing = error.details?.['existingId'];
      // Written by an interrupted pull, so long ago that the idempotency key has expired.
      if (onDuplicate) return onDuplicate(String(existing));
      if (typeof existing === 'string' && op.method === 'POST') return existing;
      throw error;
    }
  };
}

async function* filterPages(pages: Pages, matches: (record: SourceRecord) => boolean): Pages {
  for await (const { rows, total } of pages) yield { rows: rows.filter(matches), total };
}
