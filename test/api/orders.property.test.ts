/**
 * Random histories of orders over the real store and real HTTP, against a model that knows only the tables of D-2 and D-5.
 * After every step: what was refused left nothing, what was done is exactly what the model says, and the invariants of D §9 hold.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderWorld } from '../support/orders.ts';
import { stockUp } from '../support/stock.ts';
import { startService } from '../support/service.ts';
import { op } from '../support/order-histories/wishes.ts';
import { begin } from '../support/order-histories/model.ts';
import { change, create, fulfil, rewrite } from '../support/order-histories/orders.ts';
import { dump, replay } from '../support/order-histories/write.ts';
import { examine, sync, walk } from '../support/order-histories/examine.ts';

test('every history of orders is what the model says', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 20, maxLength: 45, size: 'max' }), async (ops) => {
      await using s = await startService();
      const h = begin(s, await orderWorld(s));
      // What runs out is told in stock.property.test.ts.
      await stockUp(s, [{ itemId: h.w.bolt, quantity: 100_000 }]);
      const stranger = await s.addKey({ tenantId: (await s.addTenant('stranger')).id });
      for (const wish of ops) {
        const order = 'at' in wish ? h.orders[wish.at % Math.max(h.orders.length, 1)] : undefined;
        if (wish.what === 'create') await create(h, wish);
        else if (wish.what === 'replay') await replay(h, wish.other);
        else if (wish.what === 'sync') await sync(h);
        else if (wish.what === 'restart') {
          const before = await dump(h);
          await s.restart();
          expect(await dump(h)).toBe(before);
        } else if (!order) continue;
        else if (wish.what === 'patch') await change(h, order, wish.patch);
        else if (wish.what === 'same') await rewrite(h, order);
        else await fulfil(h, order, wish.line, wish.quantity);
      }
      await examine(h);
      await sync(h);
      await walk(h, stranger);
    }),
    { seed: 20_261_121, numRuns: 15, endOnFailure: true },
  );
});
