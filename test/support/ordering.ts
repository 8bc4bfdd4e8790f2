/** A service in which orders can be made, of the test file that imports this, and the two calls that make and change them. */
import { beforeAll } from 'vitest';
import { type OrderWorld, orderWorld } from './orders.ts';
import { s } from './started.ts';

export { s };
/** There as soon as hooks and tests run. */
export let w: OrderWorld;
beforeAll(async () => {
  w = await orderWorld(s);
});

export const create = (body: object) => s.post('/v1/orders', body);
export const change = (id: string, body: object) => s.patch(`/v1/orders/${id}`, body);
