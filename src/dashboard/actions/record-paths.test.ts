import { expect, test } from 'vitest';
import { auditRow, deliveryRow, endpointRow, itemRow, orderRow, requestRow } from '../../../test/support/dashboard-states.ts';
import { getLoadedPath, getRecordPath } from './record-paths.ts';

test('each row has a path in the public API', () => {
  expect(getRecordPath('deliveries', deliveryRow(1))).toBe(`/v1/webhooks/${deliveryRow(1).webhookId}/deliveries`);
  expect(getRecordPath('endpoints', endpointRow(1))).toBe(`/v1/webhooks/${endpointRow(1).id}`);
  expect(getRecordPath('requests', requestRow(1))).toBe('/v1/items');
  expect(getRecordPath('items', itemRow(1))).toBe(`/v1/items/${itemRow(1).itemId}`);
  expect(getRecordPath('orders', orderRow(1))).toBe(`/v1/orders/${orderRow(1).id}`);
  expect(getRecordPath('audit', auditRow(1))).toBe(`/v1/items/${auditRow(1).resourceId}`);
  const key = auditRow(1, { resourceType: 'api_key' });
  expect([getLoadedPath('audit', key), getRecordPath('audit', key)]).toEqual([
    null,
    expect.stringMatching(/^\/v1\/audit\/events\?since=/u),
  ]);
});
