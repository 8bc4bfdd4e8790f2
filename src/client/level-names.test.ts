import { expect, test } from 'vitest';
import { QUERY_VALUES_MAX } from '../contract/limits.ts';
import type { StockLevel } from '../contract/resources/stock-levels.ts';
import { type LevelQuery, createLevelNames } from './level-names.ts';

const levelEvent = (item: string, site = 's1') => ({ resourceType: 'stock_level', resourceId: `${item}:${site}` }) as const;

/** Every item but `gone` has a level at each site. */
function createList() {
  const queries: LevelQuery[] = [];
  const read = (query: LevelQuery): Promise<readonly StockLevel[]> => {
    queries.push(query);
    const levels = query.item_id.flatMap((itemId) =>
      (query.site_id ?? []).map((siteId) => ({
        itemId,
        siteId,
        item: { sku: itemId === 'plain' ? null : itemId.toUpperCase(), name: `Item ${itemId}` },
        site: { name: siteId },
      })),
    );
    return Promise.resolve(levels.filter(({ itemId }) => itemId !== 'gone') as unknown as readonly StockLevel[]);
  };
  return { queries, read };
}

test('the names of the stock levels in events are read with one request, and only once', async () => {
  const [names, { queries, read }] = [createLevelNames(), createList()];
  const events = [levelEvent('bolt'), levelEvent('bolt', 's2'), levelEvent('plain'), levelEvent('gone'), levelEvent('bolt')];
  const order = { resourceType: 'order', resourceId: 'o1' } as const;
  await names.read([...events, order], read);
  expect(queries).toEqual([{ item_id: ['bolt', 'plain', 'gone'], site_id: ['s1', 's2'] }]);
  expect(['bolt:s1', 'bolt:s2', 'plain:s1', 'gone:s1', 'o1'].map(names.get)).toEqual([
    'BOLT at s1',
    'BOLT at s2',
    'Item plain at s1',
    null,
    null,
  ]);
  expect(names.areMissing(events)).toBe(false);
  await names.read(events, read);
  expect(queries).toHaveLength(1);
});

test('the names of more stock levels than a request has room for are read in several', async () => {
  const [names, { queries, read }] = [createLevelNames(), createList()];
  await names.read(
    Array.from({ length: QUERY_VALUES_MAX + 1 }, (_, at) => levelEvent(`i${String(at)}`)),
    read,
  );
  expect(queries.map(({ item_id: items }) => items.length)).toEqual([QUERY_VALUES_MAX, 1]);
  expect(names.get(`i${String(QUERY_VALUES_MAX)}:s1`)).toBe(`I${String(QUERY_VALUES_MAX)} at s1`);
});
