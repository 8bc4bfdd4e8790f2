import { expect, test } from 'vitest';
import { deliveryRow, iso } from '../../../test/support/dashboard-states.ts';
import type { Webhook } from '../../contract/resources/webhooks.ts';
import type { DeliveryRow } from '../state/model.ts';
import { toEndpointRow } from './endpoint-rows.ts';

// Only these fields are read.
const WEBHOOK = { id: 'w', name: 'Shop', targetUrl: '', subscribedEvents: [], status: 'active' } as unknown as Webhook;

const failingSince = (...rows: readonly DeliveryRow[]) => toEndpointRow(WEBHOOK, new Map(rows.map((row) => [row.id, row]))).failingSince;

test('an endpoint has been failing since the first failure after a success was recorded, however often it was retried', () => {
  const failed = (createdAgo: number, updatedAgo: number) =>
    deliveryRow(createdAgo, { status: 'retrying', lastError: 'timeout', createdAt: iso(createdAgo), updatedAt: iso(updatedAgo) });
  const delivered = deliveryRow(1, { status: 'delivered', lastError: null, createdAt: iso(300), updatedAt: iso(300) });
  expect(failingSince(delivered, failed(200, 200), failed(100, 100))).toBe(iso(200));
  expect(failingSince(delivered, failed(200, 5), failed(100, 10))).toBe(iso(200));
  expect(failingSince(delivered)).toBeNull();
});
