/** States of the dashboard with rows of every kind. */
import type {
  About,
  AuditRow,
  DeliveryRow,
  EndpointRow,
  EventRow,
  ItemRow,
  OrderRow,
  RequestRow,
  State,
} from '../../src/dashboard/state/model.ts';
import { createInitialState } from '../../src/dashboard/state/model.ts';
import { type Updates, reduce } from '../../src/dashboard/state/reduce.ts';

export const NOW = Date.parse('2026-03-31T14:00:00.000Z');
export const iso = (secondsAgo: number): string => new Date(NOW - secondsAgo * 1_000).toISOString();
const uuid = (kind: string, number: number): string => `0199f2a0-${kind}-7c6d-8e7f-${String(number).padStart(12, '0')}`;

export const ABOUT: About = {
  url: 'http://127.0.0.1:8625',
  isLocal: true,
  version: '0.1.0',
  tenant: { slug: 'kestrel-coffee', name: 'Kestrel Coffee Roasters', plan: 'enterprise', currency: 'EUR' },
  productionKey: null,
  faults: null,
  storeProblem: null,
  hasLogFile: true,
  polling: null,
  clockAheadMs: 0,
};

export const endpointRow = (number: number, more: Partial<EndpointRow> = {}): EndpointRow => ({
  id: uuid('ed01', number),
  name: `Endpoint ${String(number)}`,
  targetUrl: `https://shop.example/hooks/${String(number)}`,
  subscribedEvents: ['order.created'],
  status: 'active',
  delivered: 97,
  failed: 3,
  discarded: 0,
  queued: 4,
  oldestQueuedAt: iso(90),
  nextAttemptAt: null,
  failingSince: null,
  failedAttempts: 0,
  lastError: null,
  blockedReason: null,
  ...more,
});

export const deliveryRow = (number: number, more: Partial<DeliveryRow> = {}): DeliveryRow => ({
  id: uuid('de11', number),
  webhookId: uuid('ed01', 1),
  eventId: uuid('e111', number),
  eventType: 'inventory.item.created',
  status: 'delivered',
  attempts: 1,
  lastError: null,
  lastHttpStatus: 200,
  createdAt: iso(1_000 - number),
  updatedAt: iso(1_000 - number),
  nextAttemptAt: null,
  lastMilliseconds: 12,
  ...more,
});

export const failedRow = (number: number, more: Partial<DeliveryRow> = {}): DeliveryRow =>
  deliveryRow(number, { status: 'failed', attempts: 8, lastError: 'http_500', lastHttpStatus: 500, ...more });

export const requestRow = (number: number, more: Partial<RequestRow> = {}): RequestRow => ({
  id: `instance.${String(number)}`,
  at: iso(1_000 - number),
  requestId: uuid('4e01', number),
  operationId: 'items.list',
  method: 'GET',
  path: '/v1/items',
  status: 200,
  errorCode: null,
  errorMessage: null,
  milliseconds: 3,
  keyId: uuid('4e11', 1),
  keyPrefix: 'pk_test_AEiRCOXV',
  ...more,
});

export const itemRow = (number: number, more: Partial<ItemRow> = {}): ItemRow => ({
  id: uuid('57c0', number),
  itemId: uuid('1e01', number),
  sku: `PKG-${String(number)}`,
  name: 'Bag 250 g, kraft paper',
  site: 'Roastery',
  unit: 'pcs',
  onHand: 1_200,
  committed: 40,
  incoming: 0,
  available: 1_160,
  reorderPoint: 2_000,
  isLow: true,
  command: `stockroom orders create --module buy --status open --contact-id ${uuid('c001', 1)} --line ${uuid('1e01', number)}:12`,
  ...more,
});

export const orderRow = (number: number, more: Partial<OrderRow> = {}): OrderRow => ({
  id: uuid('0a01', number),
  orderNumber: `SO-${String(number).padStart(6, '0')}`,
  module: 'sell',
  status: 'open',
  contact: 'Café Alfama',
  site: 'Roastery',
  priority: 'normal',
  orderDate: '2026-03-20',
  dueDate: '2026-04-02',
  isLate: false,
  fulfilment: 'none',
  total: 142.31,
  currency: 'EUR',
  updatedAt: iso(1_000 - number),
  ...more,
});

export const auditRow = (number: number, more: Partial<AuditRow> = {}): AuditRow => ({
  id: uuid('a001', number),
  actorType: 'api',
  actorId: uuid('4e11', 1),
  action: 'item.created',
  resourceType: 'item',
  resourceId: uuid('1e01', number),
  metadata: { requestId: uuid('4e01', number) },
  ipAddress: '127.0.0.1',
  createdAt: iso(1_000 - number),
  ...more,
});

export const eventRow = (number: number, more: Partial<EventRow> = {}): EventRow => ({
  id: uuid('e111', number),
  event: 'order.updated',
  resourceType: 'order',
  resourceId: uuid('0a01', number),
  sequence: number + 1,
  occurredAt: iso(1_000 - number),
  data: { orderNumber: `SO-${String(number).padStart(6, '0')}`, changes: ['status', 'notes'] },
  ...more,
});

export const withUpdates = (state: State, updates: Partial<Updates>, at: number = NOW): State =>
  reduce(state, { type: 'updates', at, updates });

/** Without rows, on the tab of the deliveries. */
export const emptyState = (now: number = NOW): State => {
  const state = createInitialState(ABOUT, now);
  return { ...state, ui: { ...state.ui, tab: 'deliveries' } };
};

/** Everything full: more rows than any screen has. */
export function busyState(rows = 300): State {
  const many = <T>(make: (number: number) => T): T[] => Array.from({ length: rows }, (_, index) => make(index));
  let state = emptyState(NOW - 60_000);
  state = reduce(state, { type: 'connected', at: NOW - 60_000 });
  state = reduce(state, { type: 'complete' });
  state = reduce(state, {
    type: 'endpoints',
    rows: [
      endpointRow(1, { name: 'Shop sync' }),
      endpointRow(2, { name: 'Warehouse ☕ 倉庫', failingSince: iso(7_200), failedAttempts: 12 }),
      ...many((number) => endpointRow(number + 3)),
    ],
  });
  state = reduce(state, { type: 'items', rows: many((number) => itemRow(number, number === 0 ? { available: -3, onHand: 37.25 } : {})) });
  state = reduce(state, {
    type: 'orders',
    rows: many((number) => orderRow(number, number < 3 ? { isLate: true, dueDate: '2026-03-28' } : {})),
  });
  state = withUpdates(state, {
    deliveries: many((number) => {
      const updatedAt = iso((rows - number) / 10);
      return number % 7 === 0 ? failedRow(number, { webhookId: uuid('ed01', 2), updatedAt }) : deliveryRow(number, { updatedAt });
    }),
    requests: many((number) => requestRow(number, number % 9 === 0 ? { status: 429 } : {})),
    audit: many((number) => auditRow(number)),
    events: many((number) => eventRow(number)),
    limits: many((number) => ({
      keyId: uuid('4e11', number),
      keyPrefix: `pk_test_${String(number).padStart(8, '0')}`,
      tier: 'standard',
      limit: 120,
      remaining: number % 121,
      resetAt: Math.floor(NOW / 1_000) + 42,
    })),
  });
  return state;
}
