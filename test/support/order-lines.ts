/** What the tests of order lines do: make orders with lines, change them, and read what is stored. */
import { made } from './orders.ts';
import { create, s } from './ordering.ts';
import type { Reply } from './service.ts';

// Lines as replies show them.
// oxlint-disable-next-line typescript/no-explicit-any
export type Wire = any;
export const withLines = async (module: string, lines: readonly object[], more: object = {}): Promise<Wire> => {
  const reply = await create({ module, lines, ...more });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body.data;
};
export const change = (id: string, lines: readonly object[]) => s.patch(`/v1/orders/${id}`, { lines });
export const item = (body: object) => made(s.post('/v1/items', body));
export const problem = (reply: Reply) => [reply.status, reply.body.error.fields?.[0].path, reply.body.error.fields?.[0].code];
export const stored = async (id: string): Promise<Wire> => (await s.get(`/v1/orders/${id}/lines?page_size=200`)).body.data;
