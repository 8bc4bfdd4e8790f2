/** A service for the tests of a file, and the calls that open orders and read what they commit, expect and move in stock. */
import { expect } from 'vitest';
import { made } from './order-world.ts';
import { useOrders } from './orders.ts';
import type { Reply } from '../service/service.ts';

export const DOCUMENTS = '/v1/stock-documents';

export function useOrderStock() {
  const orders = useOrders();
  const { s, w, create } = orders;
  const ok = async (reply: Promise<Reply>): Promise<Reply> => {
    const { status, text } = await reply;
    expect(status, text).toBeLessThan(300);
    return reply;
  };
  /** Stock of an item at a site, the default one if it is omitted: quantities on hand, committed and incoming, and the value. */
  const level = async (itemId: string, siteId = s.tenant.defaultSiteId) => {
    const { body } = await s.get(`/v1/stock-levels?item_id=${itemId}&site_id=${siteId}&include_zero=true`);
    const { onHand = 0, committed = 0, incoming = 0, stockValue = 0, averageCost = null } = body.data[0] ?? {};
    return { figures: [onHand, committed, incoming], value: stockValue, averageCost };
  };
  return {
    ...orders,
    ok,
    level,
    figures: async (itemId: string, siteId?: string) => (await level(itemId, siteId)).figures,
    item: (more: object = {}) => made(s.post('/v1/items', { name: `Item ${s.service.newId()}`, unitId: w.pcs, ...more })),
    order: async (id: string) => (await s.get(`/v1/orders/${id}?include=lines`)).body.data,
    document: async (id: string) => (await s.get(`${DOCUMENTS}/${id}?include=lines`)).body.data,
    cancel: (id: string) => s.post(`${DOCUMENTS}/${id}/cancel`, { reason: 'wrong' }),
    sale: async (itemId: string, quantity: number, more: object = {}) =>
      (await ok(create({ module: 'sell', status: 'open', contactId: w.customer, lines: [{ itemId, quantity }], ...more }))).body.data,
    purchase: async (itemId: string, quantity: number, line: object = {}) =>
      (await ok(create({ module: 'buy', status: 'open', contactId: w.supplier, lines: [{ itemId, quantity, ...line }] }))).body.data,
  };
}
