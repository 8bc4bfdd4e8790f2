import { expect, test } from 'vitest';
import { NOW, endpointRow, iso } from '../../../test/support/dashboard-states.ts';
import { toReplays } from './replays.ts';

const [shop, warehouse] = [endpointRow(1, { name: 'Shop sync' }), endpointRow(2, { name: 'Warehouse' })];
const find = (query: string, endpoints = [shop, warehouse]) => toReplays(query, endpoints, NOW);
const DAYS_30_S = 30 * 86_400;

test('without a filter, replays are of every endpoint that is not disabled, as far back as the log goes', () => {
  const since = iso(DAYS_30_S);
  expect(find('')).toEqual([
    { webhookId: shop.id, since },
    { webhookId: warehouse.id, since },
  ]);
  expect(find('', [endpointRow(1, { status: 'disabled' })])).toEqual([]);
});

test('a filter of endpoint, event types, period and status becomes the same replays', () => {
  expect(find('endpoint:ware status:failed since:2h since:1h event:order.created,order.updated')).toEqual([
    { webhookId: warehouse.id, since: iso(3_600), types: ['order.created', 'order.updated'] },
  ]);
  expect(find('!endpoint:ware')).toEqual([{ webhookId: shop.id, since: iso(DAYS_30_S) }]);
  expect(find('status:delivered')).toEqual([]);
});

test.each(['shop', '/x/', 'http:5xx', 'took:>1s', '!since:1h', 'until:1h', 'since:soon', 'error:timeout'])(
  'no replay is of "%s", which says more than it can',
  (query) => {
    expect(find(query)).toBeNull();
  },
);
