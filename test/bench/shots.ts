/** The requests that the cases send, and the proof that both arms give the same answers to them. */
import { deepStrictEqual } from 'node:assert';
import { API_KEY, IDEMPOTENCY_KEY } from '../../src/contract/headers.ts';
import { PAGE_SIZE_DEFAULT } from '../../src/contract/limits.ts';
import type { Arm } from './arms.ts';
import type { Shot } from './load.ts';
import { contactId, itemId, newItem, scatter } from './rows.ts';

const VARIETY = 1_000;
const JSON_TYPE = { 'content-type': 'application/json' };
const ORDER_LINES = 10;

const write = (key: string) => ({ [API_KEY]: key, [IDEMPOTENCY_KEY]: 'bench-{n}', ...JSON_TYPE });
const several = <T>(make: (n: number) => T): T[] => Array.from({ length: VARIETY }, (_, n) => make(scatter(n, 60)));

export const readOne = (key: string, rows: number): Shot[] =>
  several((n) => ({ method: 'GET', path: `/v1/items/${itemId(n % rows)}`, headers: { [API_KEY]: key }, status: 200 }));

/** Random pages of the list in its default order. */
export const listPages = (key: string, rows: number): Shot[] =>
  several((n) => ({
    method: 'GET',
    path: `/v1/items?page=${String(1 + (n % Math.ceil(rows / PAGE_SIZE_DEFAULT)))}`,
    headers: { [API_KEY]: key },
    status: 200,
  }));

export const firstPage = (key: string): Shot[] => [{ method: 'GET', path: '/v1/items', headers: { [API_KEY]: key }, status: 200 }];

export const search = (key: string, texts: readonly string[]): Shot[] =>
  texts.map((text) => ({ method: 'GET', path: `/v1/items?search=${encodeURIComponent(text)}`, headers: { [API_KEY]: key }, status: 200 }));

export const createItem = (key: string): Shot[] => [
  { method: 'POST', path: '/v1/items', headers: write(key), body: JSON.stringify(newItem), status: 201 },
];

export const updateItem = (key: string, rows: number): Shot[] =>
  several((n) => ({
    method: 'PATCH',
    path: `/v1/items/${itemId(n % rows)}`,
    headers: write(key),
    body: '{"notes":"Counted in round {n}."}',
    status: 200,
  }));

export const createOrder = (key: string, rows: number): Shot[] =>
  several((n) => {
    const lines = Array.from({ length: ORDER_LINES }, (_, line) => ({
      itemId: itemId(scatter(n, line) % rows),
      quantity: 1 + line,
      unitPrice: 2.5,
    }));
    const order = { module: 'buy', contactId: contactId(n), reference: 'PO {n}', orderDate: '2026-03-02', dueDate: '2026-03-09', lines };
    return { method: 'POST', path: '/v1/orders', headers: write(key), body: JSON.stringify(order), status: 201 };
  });

/** Throws unless both arms answer the shot with the same status and body: a baseline that does less is none. */
export async function sameAnswer(shot: Shot, ours: Arm, baseline: Arm): Promise<void> {
  const [mine, theirs] = await Promise.all([ask(ours, shot), ask(baseline, shot)]);
  deepStrictEqual(mine, theirs, `${shot.method} ${shot.path}: stockroom and the baseline differ`);
}

async function ask(arm: Arm, { method, path, headers }: Shot): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${arm.url}${path}`, { method, headers });
  return { status: response.status, body: await response.json() };
}
