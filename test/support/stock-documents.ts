/** What the tests of stock documents do: make them, take them from state to state, and read them. */
import { made } from './orders.ts';
import { s, w } from './ordering.ts';
import { postDocument, submitDocument } from './stock.ts';

export const PATH = '/v1/stock-documents';
export const create = (body: object) => s.post(PATH, body);
export const receipt = (more: object = {}) => ({ type: 'receipt', lines: [{ itemId: w.bolt, quantity: 10, unitCost: 0.2 }], ...more });
export const draft = (body: object = receipt()) => made(create(body));
export const act = (id: string, action: 'submit' | 'approve' | 'cancel', body: object = {}, query = '') =>
  s.post(`${PATH}/${id}/${action}${query}`, body);
export const patch = (id: string, body: object) => s.patch(`${PATH}/${id}`, body);
export const read = async (id: string) => (await s.get(`${PATH}/${id}?include=lines`)).body.data;
export const submitted = (body: object = receipt()) => submitDocument(s, body);
export const approved = (body: object = receipt()) => postDocument(s, body);
export const item = (more: object = {}) => made(s.post('/v1/items', { name: `Item ${s.service.newId()}`, ...more }));
