/**
 * Adds a second site and three level rows for every two items to a filled data directory: `node fill-stock.ts DIRECTORY ROWS`.
 * A process of its own, as `fill.ts` is. The rows have no ledger behind them, which nothing that is measured looks at.
 */
import { v7 } from 'uuid';
import { MICRO } from '../../src/domain/kernel/numbers.ts';
import { toLevelRow } from '../../src/domain/stock/levels.ts';
import { tables } from '../../src/domain/tables.ts';
import { openFileStore } from '../../src/store/file/index.ts';
import { itemRecord, scatter } from './catalog-rows.ts';

const BATCH = 1_000;

const [, , directory = '', rows = '0'] = process.argv;
const store = await openFileStore({ directory, tables });
const tenant = await store.read('', (tx) => tx.tenants.findUnique('slug', 'bench'));
if (!tenant) throw new Error(`${directory} has no bench tenant`);
const stamps = { createdAt: new Date().toISOString(), updatedAt: new Date().toISOString() };
const north = v7();
await store.transact(tenant.id, (tx) =>
  tx.sites.put({ id: north, name: 'North', code: 'NORTH', address: '', isDefault: false, isActive: true, ...stamps }),
);
for (let from = 0; from < Number(rows); from += BATCH) {
  await store.transact(tenant.id, async (tx) => {
    for (let n = from; n < Math.min(Number(rows), from + BATCH); n += 1) {
      const item = itemRecord(n);
      for (const siteId of n % 2 === 0 ? [tenant.defaultSiteId, north] : [tenant.defaultSiteId]) {
        const figures = {
          onHand: (scatter(n, 70) % 500) * MICRO,
          committed: (scatter(n, 71) % 40) * MICRO,
          incoming: (scatter(n, 72) % 40) * MICRO,
          averageCost: MICRO,
          stockValue: (scatter(n, 70) % 500) * MICRO,
          reorderPoint: n % 3 === 0 ? 50 * MICRO : null,
          lastMovementAt: stamps.createdAt,
        };
        await tx.stockLevels.put(toLevelRow({ itemId: item.id, siteId }, item, figures, stamps));
      }
    }
  });
}
await store.close();
process.stdout.write(`${north}\n`);
