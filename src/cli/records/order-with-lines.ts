/** Orders with their lines. */
import type { Client, Reply } from '../../client/client.ts';
import { isUnsupported } from '../../client/errors.ts';
import { ALL_MODULES, type Order, type OrderDetail, getOrder, listOrders } from '../../contract/resources/orders.ts';
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

/** Orders of a request that also asks for their lines: a response of 17 MB if each has as many as possible. */
const WHOLE_ORDERS = 50;
/** Requests at a time, so that reading many records leaves room for others. */
const PARALLEL = 8;

/** Reads more about each row, some at a time. */
export async function flatMapRows<R, T>(rows: readonly R[], read: (row: R) => Promise<readonly T[]>): Promise<readonly T[]> {
  const found: T[] = [];
  for (let at = 0; at < rows.length; at += PARALLEL) found.push(...(await Promise.all(rows.slice(at, at + PARALLEL).map(read))).flat());
  return found;
}

/** Reads orders with all fields and lines, many at a time where the service has that. Orders that are gone are left out. */
export async function readWholeOrders(client: Client, ids: readonly string[]): Promise<readonly (Order | OrderDetail)[]> {
  const readOne = async (id: string) => [(await readOrderWithLines(client, id)).body.data];
  const readMany = async (some: readonly string[]) => {
    const query = { module: ALL_MODULES, id: [...some], include: ['details', 'lines'], page_size: WHOLE_ORDERS } as const;
    const { data } = (await client.perform(listOrders, { query })).body;
    return data.every(({ lines, lineCount }) => lines !== undefined && lineCount !== undefined) ? data : flatMapRows(some, readOne);
  };
  const parts = Array.from({ length: Math.ceil(ids.length / WHOLE_ORDERS) }, (_, at) =>
    ids.slice(at * WHOLE_ORDERS, (at + 1) * WHOLE_ORDERS),
  );
  try {
    const found = new Map((await flatMapRows<readonly string[], Order | OrderDetail>(parts, readMany)).map((order) => [order.id, order]));
    return ids.flatMap((id) => found.get(id) ?? []);
  } catch (error) {
    if (!isUnsupported(error, ['module', 'id', 'include'])) throw error;
    return flatMapRows(ids, readOne);
  }
}
