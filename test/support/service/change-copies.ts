/** Copies of a service that readers of changes keep: from events, from webhooks, and from lists with cursors. */
import { expect } from 'vitest';
import type { FailoverClient } from './failover-client.ts';

export type Fields = Readonly<Record<string, unknown>>;
/** Records by resource and id. */
export type Copy = Map<string, Fields>;

export interface ChangeData extends Fields {
  readonly id: string;
  readonly sequence: number;
  readonly changes: readonly string[];
}

/** What a copy has of each resource: what both its list and its events have. */
const LISTS = {
  item: { path: '/v1/items', query: {}, fields: ['name', 'sku', 'itemType', 'isActive'] },
  contact: { path: '/v1/contacts', query: {}, fields: ['name', 'company', 'contactType', 'isActive'] },
  order: { path: '/v1/orders', query: { module: 'sell' }, fields: ['orderNumber', 'status', 'priority', 'dueDate'] },
  stock_document: { path: '/v1/stock-documents', query: {}, fields: ['documentNumber', 'status', 'lineCount'] },
  stock_level: {
    path: '/v1/stock-levels',
    query: { include_zero: 'true' },
    fields: ['onHand', 'committed', 'incoming', 'available', 'projected', 'averageCost'],
  },
} as const;
type Resource = keyof typeof LISTS;
const RESOURCES = Object.keys(LISTS) as readonly Resource[];

const getResource = (event: string): Resource | undefined => RESOURCES.find((name) => name === event.split('.').at(-2));

function pick(resource: Resource, record: Fields): Fields {
  return Object.fromEntries(LISTS[resource].fields.map((field) => [field, record[field]]));
}

/** Applies an event that is newer than what the copy has. Deleted records stay as undefined fields until the end. */
export function applyEvent(copy: Copy, event: string, data: ChangeData): void {
  const resource = getResource(event);
  if (resource === undefined) return;
  const key = `${resource} ${data.id}`;
  const sequence = Number(copy.get(key)?.['sequence'] ?? 0);
  if (data.sequence <= sequence) return;
  const isDeleted = data.changes.includes('deleted');
  copy.set(key, { sequence: data.sequence, isDeleted, ...pick(resource, data) });
}

/** The records of a copy from events that exist. */
export function listExisting(copy: Copy): Copy {
  const existing: Copy = new Map();
  for (const [key, { isDeleted, ...record }] of copy) {
    if (isDeleted === true) continue;
    const { sequence, ...fields } = record;
    if (sequence !== undefined) existing.set(key, fields);
  }
  return existing;
}

type Get = (path: string) => Promise<{ readonly status: number; readonly body: unknown }>;

/** The lists that also name what was deleted. */
const WITH_DELETED: readonly Resource[] = ['item', 'contact', 'stock_document'];

interface ListPage {
  readonly data: readonly Fields[];
  readonly deleted?: readonly { readonly id: string }[];
  readonly pagination: { readonly nextCursor: string | null };
}

/** Reads a whole list with cursors. Its rows are never repeated without `sort`. `onDeleted` gets the keys of deleted records. */
export async function readList(
  get: Get,
  resource: Resource,
  query: Readonly<Record<string, string>> = {},
  onDeleted?: (key: string) => void,
): Promise<(Fields & { key: string })[]> {
  const rows: (Fields & { key: string })[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const parameters = new URLSearchParams({ page_size: '20', ...LISTS[resource].query, ...query, cursor });
    const { status, body } = await get(`${LISTS[resource].path}?${parameters.toString()}`);
    expect(status, JSON.stringify(body)).toBe(200);
    const { data, deleted = [], pagination } = body as ListPage;
    for (const { id } of deleted) onDeleted?.(`${resource} ${id}`);
    for (const row of data) {
      const id = resource === 'stock_level' ? `${String(row['itemId'])}:${String(row['siteId'])}` : String(row['id']);
      rows.push({ ...pick(resource, row), key: `${resource} ${id}`, updatedAt: row['updatedAt'] });
    }
    cursor = pagination.nextCursor;
  }
  if (query['sort'] === undefined) expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  return rows;
}

/** Everything, as the service has it. */
export async function readEverything(get: Get): Promise<Copy> {
  const copy: Copy = new Map();
  for (const resource of RESOURCES) for (const { key, updatedAt: _, ...fields } of await readList(get, resource)) copy.set(key, fields);
  return copy;
}

/** Readers that work until `isOver`, and once more after it. */
export interface Followers {
  readonly events: Copy;
  readonly changes: Copy;
  readonly sequences: readonly number[];
  readonly done: Promise<unknown>;
}

export function startFollowers(client: FailoverClient, isOver: () => boolean): Followers {
  const get: Get = (path) => client.send('GET', path);
  const events: Copy = new Map();
  const changes: Copy = new Map();
  const sequences: number[] = [];
  const followEvents = async () => {
    for (let cursor = '', isLast = false; !isLast;) {
      const isEnd = isOver();
      const { status, body } = await get(`/v1/events?limit=50&wait=1&cursor=${cursor}`);
      expect(status, JSON.stringify(body)).toBe(200);
      const page = body as {
        data: { event: string; sequence: number; data: ChangeData }[];
        pagination: { nextCursor: string; hasMore: boolean };
      };
      for (const { event, sequence, data } of page.data) {
        sequences.push(sequence);
        applyEvent(events, event, data);
      }
      cursor = page.pagination.nextCursor;
      isLast = isEnd && page.data.length === 0 && !page.pagination.hasMore;
    }
  };
  const followChanges = async (resource: Resource) => {
    let since = '1970-01-01T00:00:00Z';
    const deleted = new Set<string>();
    for (let isLast = false; !isLast;) {
      isLast = isOver();
      let newest = since;
      const query = { sort: 'updated_at', updated_since: since, ...(WITH_DELETED.includes(resource) && { include_deleted: 'true' }) };
      const rows = await readList(get, resource, query, (key) => deleted.add(key));
      for (const { key, updatedAt, ...fields } of rows) {
        changes.set(key, fields);
        if (String(updatedAt) > newest) newest = String(updatedAt);
      }
      for (const key of deleted) changes.delete(key);
      since = newest;
    }
  };
  const walk = async () => {
    while (!isOver()) await readEverything(get);
  };
  const done = Promise.all([followEvents(), walk(), ...RESOURCES.map(followChanges)]);
  // The caller awaits it at the end.
  done.catch(() => undefined);
  return { events, changes, sequences, done };
}
