/**
 * Random histories of orders over the real store and real HTTP, against a model that knows only the tables of D-2 and D-5.
 * After every step: what was refused left nothing, what was done is exactly what the model says, and the invariants of D-25 hold.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderWorld } from '../../support/resources/order-world.ts';
import { findProblems, stockUp } from '../../support/resources/stock.ts';
import { startService } from '../../support/service/service.ts';
import { op } from '../../support/order-model/arbitraries.ts';
import { begin } from '../../support/order-model/model.ts';
import { change, create, fulfil, rewrite } from '../../support/order-model/orders.ts';
import { dump, replay } from '../../support/order-model/write.ts';
import { examine, sync, walk } from '../../support/order-model/verify.ts';
import { PROPERTY_TIMEOUT_MS, checkProperty } from '../../support/property.ts';

test('random order histories match the model', { timeout: PROPERTY_TIMEOUT_MS }, async () => {
  await checkProperty(
    fc.asyncProperty(fc.array(op, { minLength: 20, maxLength: 45, size: 'max' }), async (ops) => {
      await using s = await startService();
      const h = begin(s, await orderWorld(s));
      // Shortages are tested in stock.property.test.ts.
      await stockUp(s, [{ itemId: h.w.bolt, quantity: 100_000 }]);
      const foreignKey = await s.addKey({ tenantId: (await s.addTenant('foreign')).id });
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
      await walk(h, foreignKey);
      expect(await findProblems(s)).toEqual([]);
    }),
    { isSlow: true },
  );
});
