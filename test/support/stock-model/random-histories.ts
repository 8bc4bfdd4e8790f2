/**
 * Random histories of stock over the real store and real HTTP, against an independent model: it predicts quantities, committed and incoming
 * stock, states, responses and rejections before each call; values must satisfy the invariants of the ledger. A rejected request leaves
 * everything as it was.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { isLongRun } from '../long-run.ts';
import { made, orderWorld } from '../resources/order-world.ts';
import { addUnit } from '../resources/units-and-categories.ts';
import { type TestService, startService } from '../service/service.ts';
import { checkLineValues } from '../resources/line-values.ts';
import { findProblems } from '../resources/stock.ts';
import { type Operation, operation } from './arbitraries.ts';
import { compareLevels, examine } from './verify.ts';
import { type History, OUTSTANDING, at } from './model.ts';
import { act, draft, race, thereAndBack } from './documents.ts';
import { createOrder, edit, moveOrder, resize } from './orders.ts';
import { createPastLevels } from './past-levels.ts';
import { createShadow } from './shadow.ts';
import { dump, replay } from './write.ts';
import { checkProperty } from '../property.ts';

async function post(h: History, wish: Parameters<typeof draft>[1]): Promise<void> {
  const doc = await draft(h, wish);
  if (!doc) return;
  await act(h, doc, 'submit');
  if (doc.status === 'submitted') await act(h, doc, 'approve');
}

async function step(h: History, wish: Operation): Promise<void> {
  if (wish.what === 'draft') await draft(h, wish);
  else if (wish.what === 'post') {
    await post(h, wish);
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
  } else if (wish.what === 'complete') {
    const order = at(
      h.orders.filter(({ status }) => OUTSTANDING.includes(status)),
      wish.at,
    );
    if (order) await moveOrder(h, order, { to: 'completed', none: false });
  } else if (wish.what === 'reopen') {
    const completed = new Set(h.orders.filter(({ status }) => status === 'completed').map(({ id }) => id));
    const doc = at(
      h.docs.filter(({ status, orderId }) => status === 'approved' && orderId !== null && completed.has(orderId)),
      wish.at,
    );
    if (doc) await act(h, doc, 'cancel');
  } else {
    const order = at(h.orders, wish.at);
    if (!order) return;
    if (wish.what === 'move') await moveOrder(h, order, wish);
    else if (wish.what === 'edit') await edit(h, order, wish);
    else await resize(h, order, wish);
  }
}

/** Enough stock of every item for some orders, and not for all. */
const OPENING = [0, 1, 2].map((item) => ({ item, quantity: 40, cost: 125, loss: false, stale: 'none', unit: 'own' }) as const);

async function begin(s: TestService, allow: boolean, covered: Set<string>): Promise<History> {
  const w = await orderWorld(s);
  const item = (body: object) => made(s.post('/v1/items', body));
  const kilogram = await addUnit(s, 'coarse kg', 'mass', [1, 1], { precision: 3 });
  const gram = await addUnit(s, 'fine g', 'mass', [1, 1000], { precision: 3 });
  const dozen = await addUnit(s, 'dozen', 'count', [12, 1], { precision: 0 });
  const counted = { own: { id: w.pcs, ratio: [1, 1] }, other: { id: dozen, ratio: [12, 1] } } as const;
  const [cup, coffee] = [
    await item({ name: 'Cup', unitId: w.pcs, purchasePrice: 1.1 }),
    await item({ name: 'Beans', unitId: kilogram, purchasePrice: 7.77 }),
  ];
  const combo = await item({ name: 'Set', itemType: 'combo' });
  await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: w.bolt, quantity: 2 }));
  await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: cup, quantity: 1 }));
  if (allow) await s.service.store.transact(s.tenant.id, (tx) => tx.tenants.put({ ...s.tenant, negativeStock: 'allow' }));
  const h: History = {
    s,
    allow,
    items: [w.bolt, cup, coffee],
    units: [counted, counted, { own: { id: kilogram, ratio: [1, 1] }, other: { id: gram, ratio: [1, 1000] } }],
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
    outcomes: { accepted: 0, rejected: 0 },
    covered,
  };
  await post(h, { type: 'adjustment', site: 0, lines: OPENING, order: null, isUnlinked: false });
  return h;
}

/** Operations of one history, and histories: 200 operations per policy in `npm test`, 5,000 in `npm run test:long`. */
const OPERATIONS = 100;
/** Reading everything that is stored takes longer than most operations. */
const EXAMINATION_INTERVAL = 4;
const RUNS = { shortRuns: 2, longRuns: 50 };

const TYPES = ['receipt', 'issue', 'transfer', 'adjustment', 'count', 'production'];
const MODULES = ['buy', 'sell', 'make', 'fix'];
/** What the histories of a long run must have done. */
const COVERED = [
  ...TYPES.flatMap((type) => [`approve ${type}`, `reverse ${type}`, `approve ${type} in another unit`]),
  ...MODULES.flatMap((module) =>
    ['complete', 'close', 'cancel', 'reopen', 'add a line to', 'remove a line of', 'resize a line of'].map((what) => `${what} ${module}`),
  ),
  ...MODULES.map((module) => `fulfil ${module} in part`),
  ...MODULES.filter((module) => module !== 'buy').map((module) => `post for ${module} without order line`),
  'fulfil a kit in part',
  'complete a kit',
];

/** Runs random histories with negative stock blocked or allowed. Nothing may be left for `doctor` to find at the end of each. */
export async function checkStockHistories(negativeStock: 'block' | 'allow'): Promise<void> {
  const wishes = fc.array(operation, { minLength: OPERATIONS, maxLength: OPERATIONS, size: 'max' });
  const covered = new Set<string>();
  await checkProperty(
    fc.asyncProperty(wishes, async (ops) => {
      await using s = await startService();
      const h = await begin(s, negativeStock === 'allow', covered);
      const shadow = createShadow(h);
      const past = createPastLevels(s);
      for (const [index, wish] of ops.entries()) {
        await step(h, wish);
        await compareLevels(h);
        await shadow.compare();
        if (index % EXAMINATION_INTERVAL === 0) {
          await examine(h);
          await past.remember();
        }
      }
      await examine(h);
      await past.compare();
      await checkLineValues(s);
      expect(await findProblems(s)).toEqual([]);
      // Neither may be rare, or the history would show nothing.
      expect(Math.min(h.outcomes.accepted, h.outcomes.rejected)).toBeGreaterThan(OPERATIONS / 20);
    }),
    { ...RUNS, isSlow: true },
  );
  // A short run is too short for all of it.
  if (isLongRun) expect([...covered].toSorted()).toEqual(expect.arrayContaining(COVERED));
}
