/** Reads a record with what belongs to it: lines, stock levels, orders, documents, events and audit trail. */
import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import { iteratePagesOf } from '../../client/lists/pages.ts';
import type { LooseParts } from '../../client/request.ts';
import { AUDIT_LIMIT_MAX, EVENTS_LIMIT_MAX, PAGE_SIZE_MAX } from '../../contract/limits.ts';
import type { Operation, ResultOf } from '../../contract/operation.ts';
import { listAuditEvents } from '../../contract/resources/audit.ts';
import { listEvents } from '../../contract/resources/events.ts';
import { OUTSTANDING_STATUSES, listOrders } from '../../contract/resources/orders.ts';
import { listStockDocuments } from '../../contract/resources/stock-documents.ts';
import { type StockLevel, listStockLevels } from '../../contract/resources/stock-levels.ts';

type Fields = Readonly<Record<string, unknown>>;
type Tables = Readonly<Record<string, readonly object[]>>;

const readData = async (api: Client, path: string): Promise<Fields> =>
  ((await api.send({ method: 'GET', path })).body as { readonly data: Fields }).data;

/** Records with lines, which are a collection of their own. */
const HAS_LINES = /^\/v1\/(?:orders|stock-documents)\//u;

/** Reads a record by its path, an order or stock document with its first lines. */
export async function readRecord(api: Client, path: string): Promise<Fields> {
  if (!HAS_LINES.test(path)) return readData(api, path);
  const [record, lines] = await Promise.all([readData(api, path), readData(api, `${path}/lines?page_size=${String(PAGE_SIZE_MAX)}`)]);
  return { ...record, lines };
}

/** What a request returns; null if the key or the plan lacks the permission, or the service does not have it. */
async function ifSupported<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.status < 429) return null;
    throw error;
  }
}

const list = <O extends Operation>(api: Client, op: O, parts: LooseParts): Promise<ResultOf<O> | null> =>
  ifSupported(async () => (await api.perform(op, parts)).body);

/** With a table for each kind of related rows. Empty ones are not shown. */
export async function readWithRelated(api: Client, path: string): Promise<Fields> {
  const record = await readRecord(api, path);
  const [, collection = '', id = ''] = /^\/v1\/(\w+)\/([^/]+)$/u.exec(path) ?? [];
  if (collection !== 'orders' && collection !== 'items') return record;
  const [own, history] = await Promise.all([
    collection === 'orders' ? readOfOrder(api, id, record['lines'] as readonly Fields[]) : readOfItem(api, id),
    readHistory(api, id, String(record['createdAt'])),
  ]);
  return { ...record, ...own, ...history };
}

async function readOfOrder(api: Client, orderId: string, lines: readonly Fields[]): Promise<Tables> {
  const itemIds = [...new Set(lines.flatMap(({ itemId }) => (typeof itemId === 'string' ? [itemId] : [])))];
  const [levels, documents] = await Promise.all([
    itemIds.length === 0 ? [] : readLevels(api, itemIds),
    list(api, listStockDocuments, { query: { order_id: orderId } }),
  ]);
  return {
    stockLevels: levels,
    documents: (documents?.data ?? []).map(({ documentNumber, type, status, approvedAt }) => ({
      documentNumber,
      type,
      status,
      approvedAt,
    })),
  };
}

async function readOfItem(api: Client, itemId: string): Promise<Tables> {
  const query = { module: 'all', item_id: itemId, status: OUTSTANDING_STATUSES, sort: 'due_date' };
  const [levels, orders] = await Promise.all([readLevels(api, [itemId]), list(api, listOrders, { query })]);
  const openOrders = (orders?.data ?? []).map(({ orderNumber, status, dueDate, contact }) => ({ orderNumber, status, dueDate, contact }));
  return { stockLevels: levels, openOrders };
}

async function readLevels(api: Client, itemIds: readonly string[]): Promise<readonly object[]> {
  const levels: StockLevel[] = [];
  await ifSupported(async () => {
    for await (const { data } of iteratePagesOf(api, listStockLevels, 'item_id', itemIds)) levels.push(...(data as StockLevel[]));
  });
  return levels.map(({ item, site, unit, onHand, committed, incoming, available, reorderPoint }) => ({
    item: item.sku ?? item.name,
    site: site.name,
    onHand,
    committed,
    incoming,
    available,
    reorderPoint,
    unit: unit?.symbol ?? null,
  }));
}

/** The latest events, which deliveries belong to, and the latest changes in the audit trail. */
async function readHistory(api: Client, recordId: string, since: string): Promise<Tables> {
  const [events, audit] = await Promise.all([
    list(api, listEvents, { query: { resource_id: recordId, limit: EVENTS_LIMIT_MAX } }),
    list(api, listAuditEvents, { query: { resource_id: recordId, since, limit: AUDIT_LIMIT_MAX } }),
  ]);
  return {
    events: (events?.data ?? []).map(({ occurredAt, event, id }) => ({ occurredAt, event, id })),
    audit: audit?.data ?? [],
  };
}
