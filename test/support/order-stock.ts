/** What the tests of orders and stock do: make orders that are open, and look at what they announce and move. */
import { expect } from 'vitest';
import { made } from './orders.ts';
import { create, s, w } from './ordering.ts';
import type { Reply } from './service.ts';

export const DOCUMENTS = '/v1/stock-documents';
export const item = (more: object = {}) => made(s.post('/v1/items', { name: `Item ${s.service.newId()}`, unitId: w.pcs, ...more }));
export const order = async (id: string) => (await s.get(`/v1/orders/${id}?include=lines`)).body.data;
export const document = async (id: string) => (await s.get(`${DOCUMENTS}/${id}?include=lines`)).body.data;
export const cancel = (id: string) => s.post(`${DOCUMENTS}/${id}/cancel`, { reason: 'wrong' });
export const ok = async (reply: Promise<Reply>): Promise<Reply> => {
  const { status, text } = await reply;
  expect(status, text).toBeLessThan(300);
  return reply;
};
export const sale = async (itemId: string, quantity: number, more: object = {}) =>
  (await ok(create({ module: 'sell', status: 'open', contactId: w.customer, lines: [{ itemId, quantity }], ...more }))).body.data;
export const purchase = async (itemId: string, quantity: number, line: object = {}) =>
  (await ok(create({ module: 'buy', status: 'open', contactId: w.supplier, lines: [{ itemId, quantity, ...line }] }))).body.data;

/** What /v1 says of an item at a site: on hand, committed and incoming, and what it is worth. Without a site it is the default one. */
export async function level(itemId: string, siteId = s.tenant.defaultSiteId) {
  const { body } = await s.get(`/v1/stock-levels?item_id=${itemId}&site_id=${siteId}&include_zero=true`);
  const { onHand = 0, committed = 0, incoming = 0, stockValue = 0, averageCost = null } = body.data[0] ?? {};
  return { figures: [onHand, committed, incoming], value: stockValue, averageCost };
}
export const figures = async (itemId: string, siteId?: string) => (await level(itemId, siteId)).figures;
