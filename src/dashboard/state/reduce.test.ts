import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OrderStatus } from '../../contract/resources/orders.ts';
import {
  ABOUT,
  NOW,
  auditRow,
  busyState,
  deliveryRow,
  endpointRow,
  eventRow,
  iso,
  orderRow,
  requestRow,
  withUpdates,
} from '../../../test/support/dashboard-states.ts';
import { getTotal } from './meter.ts';
import { type State, createInitialState } from './model.ts';
import { type Action, NOTICE_MS, reduce } from './reduce.ts';
import { MAX_ROWS } from './ring-buffer.ts';
import { getFigures } from '../tables/selectors.ts';
import { getRemaining } from '../tables/limits.ts';
import { checkProperty } from '../../../test/support/property.ts';

const fresh = (): State => createInitialState(ABOUT, NOW);
const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

describe('requests', () => {
  test('of the past come before those received meanwhile, and each appears and counts once', () => {
    const live = withUpdates(fresh(), { requests: [requestRow(3), requestRow(4)] });
    const zeros = Array.from({ length: 58 }, () => 0);
    const perMinute = [{ keyId: requestRow(1).keyId ?? '', perMinute: [...zeros, 7, 2], rejectedPerMinute: [...zeros, 4, 0] }];
    const state = reduce(live, { type: 'requests', at: NOW, rows: [1, 2, 3].map((number) => requestRow(number)), perMinute });
    const after = withUpdates(state, { requests: [requestRow(4), requestRow(5)] });
    expect(ids(after.rows.requests)).toEqual([1, 2, 3, 4, 5].map((number) => requestRow(number).id));
    expect(after.rows.limits[0]?.hour.slots.slice(-2)).toEqual([7, 3]);
    expect(after.rows.limits[0]?.rejected.slots.slice(-2)).toEqual([4, 0]);
    expect(getTotal(after.rows.limits[0]?.meter ?? fresh().counts.clientErrors, NOW)).toBe(3);
  });

  test('of the last hour count by minute', () => {
    const first = withUpdates(fresh(), { requests: [requestRow(1)] }, NOW - 60 * 60_000);
    const state = withUpdates(first, { requests: [requestRow(2), requestRow(3)] }, NOW - 60_000);
    const { hour } = state.rows.limits[0] ?? { hour: fresh().counts.clientErrors };
    expect([getTotal(hour, NOW - 60_000), getTotal(hour, NOW), getTotal(hour, NOW + 59 * 60_000)]).toEqual([3, 2, 0]);
  });

  test('count as failed by the status of their response, not if the client disconnected before it', () => {
    const rows = [null, 200, 404, 429, 503].map((status, at) => ({ ...requestRow(at + 1), status }));
    const { counts } = withUpdates(fresh(), { requests: rows });
    expect([getTotal(counts.clientErrors, NOW), getTotal(counts.serverErrors, NOW)]).toEqual([2, 1]);
    expect(getTotal(counts.all, NOW)).toBe(5);
  });
});

describe('deliveries', () => {
  test('appear once, in their latest version, the latest change last', () => {
    const [a, b] = [deliveryRow(1, { status: 'pending', attempts: 0 }), deliveryRow(2)];
    const state = withUpdates(withUpdates(fresh(), { deliveries: [a, b] }), { deliveries: [{ ...a, status: 'delivered', attempts: 1 }] });
    expect(state.rows.deliveries.map(({ id, status }) => [id, status])).toEqual([
      [b.id, 'delivered'],
      [a.id, 'delivered'],
    ]);
  });

  test('from history are ordered by time', () => {
    const live = withUpdates(fresh(), { deliveries: [deliveryRow(50)] });
    const state = reduce(live, {
      type: 'history',
      deliveries: [deliveryRow(10), deliveryRow(90), deliveryRow(20)],
      audit: [auditRow(1)],
    });
    expect(ids(state.rows.deliveries)).toEqual([10, 20, 50, 90].map((number) => deliveryRow(number).id));
    expect(ids(state.rows.audit)).toEqual([auditRow(1).id]);
  });

  test('from late history do not replace newer versions', () => {
    const now = deliveryRow(1, { status: 'delivered', updatedAt: iso(1) });
    const before = deliveryRow(1, { status: 'pending', updatedAt: iso(5) });
    const state = reduce(withUpdates(fresh(), { deliveries: [now] }), { type: 'history', deliveries: [before], audit: [] });
    expect(state.rows.deliveries).toEqual([now]);
  });
});

describe('endpoints that the service disables', () => {
  const disabled = (reason: string) =>
    auditRow(1, { action: 'webhook.auto_disabled', actorType: 'system', resourceId: endpointRow(1).id, metadata: { reason } });
  const seen = (): State => reduce(fresh(), { type: 'endpoints', rows: [endpointRow(1, { name: 'Shop sync' })] });

  test.for([
    ['endpoint_gone', 'Endpoint Shop sync was disabled: receiver answered 410 Gone'],
    ['failing_too_long', 'Endpoint Shop sync was disabled: no success for 120 h'],
    ['another', 'Endpoint Shop sync was disabled'],
  ] as const)('cause a notice that explains the reason %s', ([reason, text]) => {
    expect(withUpdates(seen(), { audit: [disabled(reason)] }).ui.notice).toEqual({ text, tone: 'bad', until: NOW + NOTICE_MS });
  });

  test('are counted separately from failing ones; a user disabling one is no notice', () => {
    const state = reduce(seen(), { type: 'endpoints', rows: [endpointRow(1, { status: 'disabled' }), endpointRow(2)] });
    expect(getFigures(state, NOW)).toMatchObject({ failing: [], disabled: 1, endpoints: 2 });
    expect(withUpdates(state, { audit: [auditRow(2, { action: 'webhook.disabled' })] }).ui.notice).toBeNull();
  });
});

describe('replaced data', () => {
  const before = (): State =>
    withUpdates(fresh(), { deliveries: [deliveryRow(1), deliveryRow(2)], requests: [requestRow(1)], audit: [auditRow(1)] });

  test('removes deliveries that a complete history does not contain', () => {
    const state = reduce(before(), { type: 'history', deliveries: [deliveryRow(2)], audit: [], isComplete: true });
    expect(ids(state.rows.deliveries)).toEqual([deliveryRow(2).id]);
    expect(ids(state.rows.audit)).toEqual([auditRow(1).id]);
  });

  test('removes deliveries and audit events but keeps requests', () => {
    const { rows } = reduce(before(), { type: 'replaced' });
    expect([rows.deliveries, rows.audit, ids(rows.requests)]).toEqual([[], [], [requestRow(1).id]]);
  });
});

describe('limits', () => {
  const limit = { keyId: 'k1', keyPrefix: 'pk_test_1', tier: 'standard', limit: 120, remaining: 12, resetAt: NOW / 1_000 + 30 };

  test('show the remaining requests until the window ends, then the whole limit', () => {
    const [row] = withUpdates(fresh(), { limits: [limit] }).rows.limits;
    if (!row) throw new Error('no row');
    expect([getRemaining(row, NOW), getRemaining(row, NOW + 29_999), getRemaining(row, NOW + 30_000)]).toEqual([12, 12, 120]);
  });

  test('use the clock of the service for the end of the window', () => {
    const ahead = reduce(fresh(), { type: 'about', about: { clockAheadMs: 3_600_000 } });
    const state = withUpdates(ahead, { limits: [{ ...limit, resetAt: limit.resetAt + 3_600 }] });
    expect(state.rows.limits[0]?.resetsAt).toBe(NOW + 30_000);
  });

  test('count requests and 429 responses by key', () => {
    const requests = [
      requestRow(1, { keyId: 'k1' }),
      requestRow(2, { keyId: 'k1', status: 429 }),
      requestRow(3, { keyId: null, status: 401 }),
      // Those of an expired or revoked key.
      requestRow(4, { keyId: 'k1', status: 401 }),
      requestRow(5, { keyId: 'k2', status: 401 }),
    ];
    const state = withUpdates(fresh(), { limits: [limit], requests });
    const [row] = state.rows.limits;
    expect([row?.rejected, row?.meter].map((meter) => meter && getTotal(meter, NOW))).toEqual([1, 2]);
    expect(state.rows.limits).toHaveLength(1);
  });

  test('keep the counts of existing keys and remove revoked keys', () => {
    const key = { id: 'k1', prefix: 'pk_test_1', name: 'Shop', status: 'active' as const, rateLimitTier: 'standard' };
    const others = {
      scopes: [],
      environment: null,
      applicationId: null,
      createdAt: iso(0),
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    };
    const state = withUpdates(fresh(), { limits: [limit, { ...limit, keyId: 'gone' }] });
    const after = reduce(state, { type: 'keys', at: NOW, keys: [{ ...key, ...others }], tiers: { standard: 200 } });
    expect(after.rows.limits).toEqual([{ ...state.rows.limits[0], name: 'Shop', prefix: 'pk_test_1', limit: 200 }]);
  });

  test('getFigures reports the key with the smallest fraction remaining', () => {
    const state = withUpdates(fresh(), {
      limits: [limit, { ...limit, keyId: 'k2', limit: 600, remaining: 30 }, { ...limit, keyId: 'k3', remaining: 120 }],
    });
    expect(getFigures(state, NOW).tightest).toMatchObject({ left: 30, limit: 600 });
  });

  test('add requests to the counts reported by the service', () => {
    const state = reduce(fresh(), { type: 'capabilities', since: 'since 2026-03-01', rows: [{ capability: 'items.list', count: 40 }] });
    expect(
      withUpdates(state, { requests: [requestRow(1), requestRow(2, { operationId: 'orders.list' }), requestRow(3, { operationId: null })] })
        .capabilities.rows,
    ).toEqual([
      { capability: 'items.list', count: 41 },
      { capability: 'orders.list', count: 1 },
    ]);
  });

  test('leave requests that the rate limit rejected out of the counts by capability, as usage does', () => {
    const state = withUpdates(fresh(), { requests: [requestRow(1), requestRow(2, { status: 429 }), requestRow(3, { status: 404 })] });
    expect(state.capabilities.rows).toEqual([{ capability: 'items.list', count: 2 }]);
  });
});

describe('the connection', () => {
  test('is lost since the first failure, regardless of retries', () => {
    const lost = [1, 2, 3].reduce<State>((state, at) => reduce(state, { type: 'lost', at: NOW + at, reason: 'gone' }), fresh());
    expect(lost.connection).toEqual({ state: 'lost', since: NOW + 1, reason: 'gone' });
    expect(reduce(lost, { type: 'connected', at: NOW + 9 }).connection).toEqual({ state: 'live', since: NOW + 9 });
  });

  test('keeps known rows when lost', () => {
    const state = busyState();
    expect(reduce(state, { type: 'lost', at: NOW, reason: 'gone' }).rows).toBe(state.rows);
  });
});

test('a notice disappears when its time is over and not before', () => {
  const state = reduce(fresh(), { type: 'notice', at: NOW, text: 'saved', tone: 'good' });
  expect(reduce(state, { type: 'tick', at: NOW + 7_999 })).toBe(state);
  expect(reduce(state, { type: 'tick', at: NOW + 8_000 }).ui.notice).toBeNull();
});

test('content loaded for a row that is no longer open is dropped', () => {
  const row = deliveryRow(1);
  const open: State = {
    ...fresh(),
    ui: { ...fresh().ui, overlay: { kind: 'detail', tab: 'deliveries', row, content: { state: 'loading' }, scroll: 0 } },
  };
  expect(reduce(open, { type: 'loaded', id: deliveryRow(2).id, content: { state: 'ready', value: {} } })).toBe(open);
  expect(reduce(open, { type: 'loaded', id: row.id, content: { state: 'ready', value: {} } }).ui.overlay).toMatchObject({
    content: { state: 'ready' },
  });
  expect(reduce(fresh(), { type: 'loaded', id: row.id, content: { state: 'ready', value: {} } }).ui.overlay).toBeNull();
});

test('content loaded beneath a question is there after the answer', () => {
  const [row, order] = [deliveryRow(1), orderRow(1)];
  const loading = { content: { state: 'loading' }, scroll: 0 } as const;
  const before = { kind: 'detail', tab: 'deliveries', row, ...loading } as const;
  const questions = [
    [row.id, { kind: 'confirm', question: 'Resend?', effect: { type: 'resend', row }, refusal: 'Not resent', before }],
    [order.id, { kind: 'status', order, to: 'waiting', ...loading, before: { kind: 'detail', tab: 'orders', row: order, ...loading } }],
  ] as const;
  for (const [id, overlay] of questions) {
    const asked: State = { ...fresh(), ui: { ...fresh().ui, overlay } };
    expect(reduce(asked, { type: 'loaded', id, content: { state: 'ready', value: {} } }).ui.overlay).toEqual({
      ...overlay,
      before: { ...overlay.before, content: { state: 'ready', value: {} } },
    });
  }
});

test('earlier events come before those received meanwhile, each once', () => {
  const live = withUpdates(fresh(), { events: [eventRow(3), eventRow(4)] });
  expect(ids(reduce(live, { type: 'events', rows: [eventRow(1), eventRow(3)] }).rows.events)).toEqual(
    [1, 3, 4].map((at) => eventRow(at).id),
  );
  const many = withUpdates(live, { events: Array.from({ length: 900 }, (_, at) => eventRow(at + 10)) });
  expect([many.rows.events.length, many.rows.events.at(-1)?.id]).toEqual([500, eventRow(909).id]);
});

test('a status change is shown immediately, and a finished order is removed', () => {
  const state = reduce(fresh(), { type: 'orders', rows: [orderRow(1), orderRow(2)] });
  const set = (status: OrderStatus) => reduce(state, { type: 'status', orderId: orderRow(1).id, status }).rows.orders;
  expect(set('waiting').map((row) => row.status)).toEqual(['waiting', 'open']);
  expect(ids(set('completed'))).toEqual([orderRow(2).id]);
});

describe('while paused', () => {
  test('new rows are counted by tab and the shown rows stay unchanged', () => {
    const before = withUpdates(fresh(), { deliveries: [deliveryRow(1)] });
    const paused: State = {
      ...before,
      ui: {
        ...before.ui,
        paused: {
          rows: before.rows,
          held: { deliveries: 0, limits: 0, endpoints: 0, requests: 0, audit: 0, items: 0, orders: 0, events: 0 },
        },
      },
    };
    const after = withUpdates(withUpdates(paused, { deliveries: [deliveryRow(2), deliveryRow(3)] }), { requests: [requestRow(1)] });
    expect(after.ui.paused?.held).toEqual({
      deliveries: 2,
      limits: 0,
      endpoints: 0,
      requests: 1,
      audit: 0,
      items: 0,
      orders: 0,
      events: 0,
    });
    expect(after.ui.paused?.rows).toBe(before.rows);
    expect(after.rows.deliveries).toHaveLength(3);
  });
});

describe('any sequence of actions', () => {
  const number = fc.nat(3_000);
  const actions = fc.oneof(
    fc
      .record({
        deliveries: fc.array(number, { maxLength: 400 }),
        requests: fc.array(number, { maxLength: 400 }),
        audit: fc.array(number, { maxLength: 400 }),
      })
      .map((some): Action => ({
        type: 'updates',
        at: NOW,
        updates: {
          deliveries: some.deliveries.map((one) => deliveryRow(one)),
          requests: some.requests.map((one) => requestRow(one)),
          audit: some.audit.map((one) => auditRow(one)),
        },
      })),
    fc.array(number, { maxLength: 2_500 }).map((some): Action => ({
      type: 'history',
      deliveries: some.map((one) => deliveryRow(one)),
      audit: some.map((one) => auditRow(one)),
    })),
    fc.constant<Action>({ type: 'endpoints', rows: [endpointRow(1)] }),
    fc.constant<Action>({ type: 'lost', at: NOW, reason: 'gone' }),
    fc.constant<Action>({ type: 'connected', at: NOW }),
  );

  test('keeps memory bounded, rows unique and states immutable', async () => {
    await checkProperty(
      fc.property(fc.array(actions, { maxLength: 12 }), (some) => {
        let state = fresh();
        for (const action of some) {
          const text = JSON.stringify(state.rows.deliveries.slice(-5));
          const next = reduce(state, action);
          expect(JSON.stringify(state.rows.deliveries.slice(-5))).toBe(text);
          state = next;
          for (const rows of [state.rows.deliveries, state.rows.requests, state.rows.audit]) {
            expect(rows.length).toBeLessThanOrEqual(MAX_ROWS);
            expect(new Set(ids(rows)).size).toBe(rows.length);
          }
        }
      }),
    );
  });

  test('keeps the newest rows', () => {
    const state = withUpdates(fresh(), { requests: Array.from({ length: MAX_ROWS + 10 }, (_, index) => requestRow(index)) });
    expect([state.rows.requests.length, state.rows.requests[0]?.id, state.rows.requests.at(-1)?.id]).toEqual([
      MAX_ROWS,
      requestRow(10).id,
      requestRow(MAX_ROWS + 9).id,
    ]);
  });
});
