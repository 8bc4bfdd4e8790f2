/** Orders with their lines. */
import type { Client, Reply } from '../../client/client.ts';
import { isUnsupported } from '../../client/errors.ts';
import { type OrderDetail, getOrder } from '../../contract/resources/orders.ts';
import { readOrderLines } from '../input/order-lines.ts';

/** Reads an order with its lines, in two requests where the service has them only apart. */
export async function readOrderWithLines(client: Client, id: string): Promise<Reply<{ data: OrderDetail }>> {
  const params = { order_id: id };
  try {
    return await client.perform(getOrder, { params, query: { include: 'lines' } });
  } catch (error) {
    if (!isUnsupported(error, ['include'])) throw error;
  }
  const reply = await client.perform(getOrder, { params });
  const body = { data: { ...reply.body.data, lines: [...(await readOrderLines(client, id))] } };
  return { ...reply, body, text: JSON.stringify(body) };
}
