/** A service for the tests of a file, and the calls that create stock documents, change their status and read them. */
import { made } from './order-world.ts';
import { useOrders } from './orders.ts';
import { postDocument, submitDocument } from './stock.ts';

export const PATH = '/v1/stock-documents';

export function useStockDocuments() {
  const { s, w } = useOrders();
  const create = (body: object) => s.post(PATH, body);
  const receipt = (more: object = {}) => ({ type: 'receipt', lines: [{ itemId: w.bolt, quantity: 10, unitCost: 0.2 }], ...more });
  return {
    s,
    w,
    create,
    receipt,
    draft: (body: object = receipt()) => made(create(body)),
    act: (id: string, action: 'submit' | 'approve' | 'cancel', body: object = {}, query = '') =>
      s.post(`${PATH}/${id}/${action}${query}`, body),
    patch: (id: string, body: object) => s.patch(`${PATH}/${id}`, body),
    read: async (id: string) => (await s.get(`${PATH}/${id}?include=lines`)).body.data,
    submitted: (body: object = receipt()) => submitDocument(s, body),
    approved: (body: object = receipt()) => postDocument(s, body),
    item: (more: object = {}) => made(s.post('/v1/items', { name: `Item ${s.service.newId()}`, ...more })),
  };
}
