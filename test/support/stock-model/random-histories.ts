/**
 * Random histories of stock over the real store and real HTTP, against a model of its own: quantities, promises and states are told by the
 * model before each call, values are held to the invariants of the ledger. After every step what was refused has left nothing behind.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { made, orderWorld } from '../resources/order-world.ts';
import { isLongRun } from '../long-run.ts';
import { type TestService, startService } from '../service/service.ts';
import { findProblems } from '../resources/stock.ts';
import { type Operation, operation } from './arbitraries.ts';
import { examine } from './verify.ts';
import { type History, at } from './model.ts';
import { act, draft, race, thereAndBack } from './documents.ts';
import { createOrder, moveOrder, resize } from './orders.ts';
import { dump, replay } from './write.ts';
import { checkProperty } from '../property.ts';

async function step(h: History, wish: Operation): Promise<void> {
  if (wish.what === 'draft') await draft(h, wish);
  else if (wish.what === 'post') {
    const doc = await draft(h, wish);
    if (!doc) return;
    await act(h, doc, 'submit');
    if (doc.status === 'submitted') await act(h, doc, 'approve');
    if (wish.lines.length === 1) await thereAndBack(h, wish);
  } else if (wish.what === 'order') await createOrder(h, wish);
  else if (wish.what === 'race') await race(h, wish);
  else if (wish.what === 'replay') await replay(h, wish.other);
  else if (wish.what === 'restart') {
    const before = await dump(h);
    await h.s.restart();
    expect(await dump(h)).toBe(before);
  } else if (wish.what === 'act') {
    const doc = at(h.docs, wish.at);
    if (doc) await act(h, doc, wish.action);
  } else {
    const order = at(h.orders, wish.at);
    if (!order) return;
    if (wish.what === 'move') await moveOrder(h, order, wish);
    else await resize(h, order, wish);
  }
}

async function begin(s: TestService, allow: boolean): Promise<History> {
  const w = await orderWorld(s);
  const item = (body: object) => made(s.post('/v1/items', body));
  const [cup, coffee] = [
    await item({ name: 'Cup', unitId: w.pcs, purchasePrice: 1.1 }),
    await item({ name: 'Beans', unitId: w.kg, purchasePrice: 7.77 }),
  ];
  const combo = await item({ name: 'Set', itemType: 'combo' });
  await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: w.bolt, quantity: 2 }));
  await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: cup, quantity: 1 }));
  if (allow) await s.service.store.transact(s.tenant.id, (tx) => tx.tenants.put({ ...s.tenant, negativeStock: 'allow' }));
  return {
    s,
    allow,
    items: [w.bolt, cup, coffee],
    combo,
    sites: [s.tenant.defaultSiteId, w.site],
    contacts: { buy: w.supplier, sell: w.customer, make: s.tenant.houseContactId, fix: w.customer },
    onHand: new Map(),
    docs: [],
    orders: [],
    ledger: [],
    shortages: undefined,
    last: undefined,
    count: 0,
  };
}

const STEPS = isLongRun ? 80 : 35;

/** Runs random histories of at least so many steps and at most twice as many. */
export async function checkStockHistories(): Promise<void> {
  const wishes = fc.array(operation, { minLength: STEPS, maxLength: 2 * STEPS, size: 'max' });
  await checkProperty(
    fc.asyncProperty(wishes, fc.integer({ min: 0, max: 3 }), async (ops, policy) => {
      await using s = await startService();
      const h = await begin(s, policy === 0);
      for (const wish of ops) {
        await step(h, wish);
        await examine(h);
      }
      expect(await findProblems(s)).toEqual([]);
    }),
    { isSlow: true },
  );
}
