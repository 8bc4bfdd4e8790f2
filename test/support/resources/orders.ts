/** A service for the tests of a file with what orders need, and the calls that create and change them. */
import { beforeAll } from 'vitest';
import { type OrderWorld, orderWorld } from './order-world.ts';
import { refer, useService } from '../service/shared-service.ts';

export function useOrders() {
  const s = useService();
  let world: OrderWorld | undefined;
  beforeAll(async () => {
    world = await orderWorld(s);
  });
  return {
    s,
    w: refer(() => world),
    create: (body: object) => s.post('/v1/orders', body),
    change: (id: string, body: object) => s.patch(`/v1/orders/${id}`, body),
  };
}
