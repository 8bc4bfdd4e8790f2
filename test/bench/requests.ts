/** The requests that the cases send, and the proof that both arms give the same answers to them. */
import { deepStrictEqual } from 'node:assert';
import { API_KEY, IDEMPOTENCY_KEY } from '../../src/contract/headers.ts';
import { PAGE_SIZE_DEFAULT } from '../../src/contract/limits.ts';
import type { Arm } from './servers.ts';
import { type Shot, UNIQUE } from './load.ts';
import { contactId, itemId, itemRecord, newItem, scatter } from './catalog-rows.ts';

const VARIETY = 1_000;
const WRITE = { [IDEMPOTENCY_KEY]: `bench-${UNIQUE}`, 'content-type': 'application/json' };

type Keys = readonly string[];

/** A request for each of many numbers, the keys in turn. */
const several = (keys: Keys, make: (n: number) => Omit<Shot, 'headers'>): Shot[] =>
  Array.from({ length: VARIETY }, (_, index) => {
    const shot = make(scatter(index, 60));
    return { ...shot, headers: { [API_KEY]: keys[index % keys.length] ?? '', ...(shot.method === 'GET' ? {} : WRITE) } };
  });

const get = (path: string) => ({ method: 'GET', path, status: 200 }) as const;

export const readOne = (keys: Keys, rows: number): Shot[] => several(keys, (n) => get(`/v1/items/${itemId(n % rows)}`));

/** Random pages of the list in its default order. */
export const listPages = (keys: Keys, rows: number, size = PAGE_SIZE_DEFAULT): Shot[] =>
  several(keys, (n) => get(`/v1/items?page=${String(1 + (n % Math.ceil(rows / size)))}&page_size=${String(size)}`));

/** Pages of the change log from these cursors on. */
export const eventPages = (keys: Keys, cursors: readonly string[], size: number): Shot[] =>
  several(keys, (n) => get(`/v1/events?cursor=${cursors[n % cursors.length] ?? ''}&limit=${String(size)}`));

export const firstPage = (keys: Keys): Shot[] => several(keys, () => get('/v1/items'));

export const search = ([key = '']: Keys, texts: readonly string[]): Shot[] =>
  texts.map((text) => ({ ...get(`/v1/items?search=${encodeURIComponent(text)}`), headers: { [API_KEY]: key } }));

/** The same requests with a write before each that none of the figures knows of. */
export const afterWrites = (shots: readonly Shot[], writes: readonly Shot[]): Shot[] =>
  shots.flatMap((shot, at) => [{ ...(writes[at % writes.length] as Shot), untimed: true }, shot]);

export const createItem = (keys: Keys): Shot[] =>
  several(keys, () => ({ method: 'POST', path: '/v1/items', body: JSON.stringify(newItem), status: 201 }));

export const updateItem = (keys: Keys, rows: number): Shot[] =>
  several(keys, (n) => ({
    method: 'PATCH',
    path: `/v1/items/${itemId(n % rows)}`,
    body: `{"notes":"Counted in round ${UNIQUE}."}`,
    status: 200,
  }));

/** Items get another name with the same words: whatever was found by names before is not known any more. */
export const renameItem = (keys: Keys, rows: number): Shot[] =>
  several(keys, (n) => ({
    method: 'PATCH',
    path: `/v1/items/${itemId(n % rows)}`,
    body: `{"name":${JSON.stringify(itemRecord(n % rows).name).slice(0, -1)} ${UNIQUE}"}`,
    status: 200,
  }));

const order = (lineCount: number, more: object) => (keys: Keys, rows: number) =>
  several(keys, (n) => {
    const lines = orderableIds(n, rows, lineCount).map((id, line) => ({ itemId: id, quantity: 1 + line, unitPrice: 2.5 }));
    const draft = {
      module: 'buy',
      contactId: contactId(n),
      reference: `PO ${UNIQUE}`,
      orderDate: '2026-03-02',
      dueDate: '2026-03-09',
      lines,
      ...more,
    };
    return { method: 'POST', path: '/v1/orders', body: JSON.stringify(draft), status: 201 };
  });

export const createOrder = order(10, {});
/** Changes what is incoming of each of its items. */
export const createOpenOrder = order(3, { status: 'open' });

/** Items that an order may buy: active ones, and no combos. */
function orderableIds(n: number, rows: number, lineCount: number): string[] {
  const ids: string[] = [];
  for (let line = 0; ids.length < lineCount; line += 1) {
    const item = itemRecord(scatter(n, line) % rows);
    if (item.isActive && item.itemType !== 'combo') ids.push(item.id);
  }
  return ids;
}

/** Throws unless both arms answer the shot with the same status and body: a baseline that does less is none. */
export async function sameAnswer(shot: Shot, ours: Arm, baseline: Arm): Promise<void> {
  const [mine, theirs] = await Promise.all([ask(ours, shot), ask(baseline, shot)]);
  deepStrictEqual(mine, theirs, `${shot.method} ${shot.path}: stockroom and the baseline differ`);
}

async function ask(arm: Arm, { method, path, headers }: Shot): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${arm.url}${path}`, { method, headers });
  return { status: response.status, body: await response.json() };
}
