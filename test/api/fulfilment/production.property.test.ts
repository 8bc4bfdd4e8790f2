/**
 * Random histories of one make order: in any order of posting and reversing, no value is lost or created, but for what late components gave to
 * outputs that are reversed (D-15).
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkTenant } from '../../../src/domain/integrity/checks.ts';
import { addSite, made, orderWorld } from '../../support/resources/order-world.ts';
import { checkLineValues } from '../../support/resources/line-values.ts';
import { startService } from '../../support/service/service.ts';
import { postDocument, stockUp } from '../../support/resources/stock.ts';
import { PROPERTY_TIMEOUT_MS, checkProperty } from '../../support/property.ts';

type Step = { post: number[]; quantity: number } | { reverse: number } | { restock: boolean; cost: number };
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      post: fc.uniqueArray(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }),
      quantity: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ reverse: fc.nat() }) },
  // More of a part at another cost: posted again, the part is worth something else.
  { weight: 1, arbitrary: fc.record({ restock: fc.boolean(), cost: fc.nat({ max: 999 }) }) },
);

/** What was made keeps the value of parts that were all taken back; posted again, they are worth less. */
const CHEAPER: [Step[], [number, number]][] = [
  [
    [{ post: [2], quantity: 6 }, { post: [0], quantity: 5 }, { reverse: 0 }, { restock: true, cost: 44 }, { post: [2], quantity: 1 }],
    [803, 444],
  ],
];

/** The powder is posted after both outputs; the share of the first is a variance when that is reversed. */
const LATE_SHARE: [Step[], [number, number]] = [
  [{ post: [0], quantity: 5 }, { post: [1], quantity: 2 }, { post: [3], quantity: 3 }, { reverse: 0 }],
  [350, 2],
];

test('random postings and reversals of a make order conserve value', { timeout: PROPERTY_TIMEOUT_MS }, async () => {
  await using s = await startService();
  const w = await orderWorld(s);
  const north = await addSite(s, 'NORTHERN');
  await checkProperty(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 14 }),
      fc.tuple(fc.nat({ max: 999 }), fc.nat({ max: 999 })),
      async (steps, costs) => {
        const item = (unitId: string) => made(s.post('/v1/items', { name: `Item ${s.service.newId()}`, unitId }));
        const items = [await item(w.pcs), await item(w.pcs), await item(w.pcs), await item(w.kg)];
        const [product = '', byProduct = '', part = '', powder = ''] = items;
        await stockUp(s, [
          { itemId: part, quantity: 9, unitCost: Number((costs[0] / 7).toFixed(6)) },
          { itemId: powder, quantity: 9, unitCost: costs[1] / 100 },
        ]);
        const worth = async (): Promise<number> => {
          const { data } = (await s.get(`/v1/stock-levels?item_id=${items.join(',')}&include_zero=true`)).body;
          return data.reduce((sum: number, { stockValue }: { stockValue: number }) => sum + Math.round(stockValue * 1e6), 0);
        };
        /** Of the outputs, where nothing else may be one. */
        const reversalVariance = async (): Promise<number> => {
          const { data } = (await s.get(`/v1/stock-movements?item_id=${product},${byProduct}&page_size=200`)).body;
          const variances = data.filter(({ revaluation }: { revaluation: string | null }) => revaluation === 'reversal_variance');
          return variances.reduce((sum: number, { value }: { value: number }) => sum + Math.round(value * 1e6), 0);
        };
        let before = await worth();
        const wanted = [
          { kind: 'output', itemId: product, quantity: 5 },
          { kind: 'output', itemId: byProduct, quantity: 2, siteId: north },
          { kind: 'component', itemId: part, quantity: 7 },
          { kind: 'component', itemId: powder, quantity: 3 },
        ];
        const order = (await s.post('/v1/orders', { module: 'make', status: 'open', lines: wanted })).body.data;
        const left = wanted.map(({ quantity }) => quantity);
        const posted: { id: string; moved: { at: number; quantity: number }[] }[] = [];
        for (const each of steps) {
          if ('restock' in each) {
            const was = await worth();
            await stockUp(s, [{ itemId: each.restock ? part : powder, quantity: 3, unitCost: each.cost / 100 }]);
            before += (await worth()) - was;
            continue;
          }
          if ('reverse' in each) {
            const [gone] = posted.splice(each.reverse % Math.max(1, posted.length), 1);
            if (!gone) continue;
            expect((await s.post(`/v1/stock-documents/${gone.id}/cancel`, {})).status).toBe(200);
            for (const { at, quantity } of gone.moved) left[at] = (left[at] ?? 0) + quantity;
            continue;
          }
          // A document has one site; the by-product is made at the other.
          const moved = each.post
            .map((at) => ({ at, quantity: Math.min(each.quantity, left[at] ?? 0) }))
            .filter(({ at, quantity }) => quantity > 0 && (at !== 1) === (each.post[0] !== 1));
          if (moved.length === 0) continue;
          const lines = moved.map(({ at, quantity }) => ({
            itemId: items[at],
            direction: at < 2 ? 'in' : 'out',
            quantity,
            orderLineId: order.lines[at].id,
          }));
          posted.push({
            id: await postDocument(s, {
              type: 'production',
              orderId: order.id,
              siteId: each.post[0] === 1 ? north : s.tenant.defaultSiteId,
              lines,
            }),
            moved,
          });
          for (const { at, quantity } of moved) left[at] = (left[at] ?? 0) - quantity;
        }
        const done = await s.patch(`/v1/orders/${order.id}`, { status: 'completed' });
        expect(done.status, done.text).toBe(200);
        expect(await worth()).toBe(before + (await reversalVariance()));
        await checkLineValues(s, items);

        for (const id of (done.body.data.stockDocumentIds as string[]).toReversed()) await s.post(`/v1/stock-documents/${id}/cancel`, {});
        expect(await worth()).toBe(before);
      },
    ),
    { isSlow: true, examples: [...CHEAPER, LATE_SHARE] },
  );
  const tenant = await s.service.store.read(s.tenant.id, (tx) => tx.tenants.get(s.tenant.id));
  const findings = tenant && (await checkTenant((work) => s.service.store.read(s.tenant.id, work), tenant));
  expect(findings?.flatMap(({ problems }) => problems)).toEqual([]);
});
