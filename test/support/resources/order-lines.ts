/** A service for the tests of a file, and the calls that create orders with lines, change the lines and read them. */
import { made } from './order-world.ts';
import { useOrders } from './orders.ts';
import type { Reply } from '../service/service.ts';

// Lines as replies show them.
// oxlint-disable-next-line typescript/no-explicit-any
export type Wire = any;

export function useOrderLines() {
  const orders = useOrders();
  const { s, create } = orders;
  return {
    ...orders,
    async withLines(module: string, lines: readonly object[], more: object = {}): Promise<Wire> {
      const reply = await create({ module, lines, ...more });
      if (reply.status !== 201) throw new Error(reply.text);
      return reply.body.data;
    },
    change: (id: string, lines: readonly object[]) => s.patch(`/v1/orders/${id}`, { lines }),
    item: (body: object) => made(s.post('/v1/items', body)),
    problem: (reply: Reply) => [reply.status, reply.body.error.fields?.[0].path, reply.body.error.fields?.[0].code],
    stored: async (id: string): Promise<Wire> => (await s.get(`/v1/orders/${id}/lines?page_size=200`)).body.data,
  };
}
