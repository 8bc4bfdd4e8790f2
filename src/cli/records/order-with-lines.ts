/** Orders with their lines. */
import type { Client, Reply } from '../../client/client.ts';
import { isUnsupported } from '../../client/errors.ts';
import { iteratePages } from '../../client/lists/pages.ts';
import { type OrderLine, listOrderLines } from '../../contract/resources/order-lines.ts';
import { type OrderDetail, getOrder } from '../../contract/resources/orders.ts';

/** Reads an order with its lines, in two requests where the service has them only apart. */
export async function readOrderWithLines(client: Client, id: string): Promise<Reply<{ data: OrderDetail }>> {
  const params = { order_id: id };
  try {
    return await client.perform(getOrder, { params, query: { include: 'lines' } });
  } catch (error) {
    if (!isUnsupported(error, ['include'])) throw error;
  }
  const reply = await client.perform(getOrder, { params });
  const lines: OrderLine[] = [];
  for await (const { data } of iteratePages(client, listOrderLines, { params })) lines.push(...(data as OrderLine[]));
  const body = { data: { ...reply.body.data, lines } };
  return { ...reply, body, text: JSON.stringify(body) };
}
