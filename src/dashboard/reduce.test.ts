import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ABOUT,
  NOW,
  auditRow,
  busyState,
  deliveryRow,
  endpointRow,
  failedRow,
  iso,
  news,
  requestRow,
  told,
} from '../../test/support/dashboard.ts';
import { perMinute } from './meter.ts';
import { type State, initialState } from './model.ts';
import { type Action, NOTICE_MS, reduce } from './reduce.ts';
import { RING_MAX } from './ring.ts';
import { figuresOf } from './select.ts';
import { leftOf } from './tables.ts';

const SEED = 20_261_121;

const fresh = (): State => initialState(ABOUT, NOW);
const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

describe('deliveries', () => {
  test('one row each, as told last, the latest change at the end', () => {
    const [a, b] = [deliveryRow(1, { status: 'pending', attempts: 0 }), deliveryRow(2)];
    const state = told(told(fresh(), { deliveries: [a, b] }), { deliveries: [{ ...a, status: 'delivered', attempts: 1 }] });
    expect(state.rows.deliveries.map(({ id, status }) => [id, status])).toEqual([
      [b.id, 'delivered'],
      [a.id, 'delivered'],
    ]);
  });

  test('attempts are counted, not what waits, is held or is thrown away', () => {
    const deliveries = [
      deliveryRow(1),
      failedRow(2),
      failedRow(3, { status: 'retrying' }),
      deliveryRow(4, { status: 'pending' }),
      deliveryRow(5, { status: 'discarded' }),
    ];
    const state = told(fresh(), { deliveries });
    expect(figuresOf(state, NOW).deliveriesPerMinute).toBe(3);
    expect(figuresOf(state, NOW + 61_000).deliveriesPerMinute).toBe(0);
  });

  test('history counts in the minute in which it happened, and once', () => {
    const deliveries = [
      deliveryRow(1, { updatedAt: iso(30) }),
      failedRow(2, { updatedAt: iso(59) }),
      deliveryRow(3, { updatedAt: iso(61) }),
    ];
    const action: Action = { type: 'history', at: NOW, deliveries, audit: [] };
    const state = reduce(reduce(fresh(), action), action);
    expect(figuresOf(state, NOW).deliveriesPerMinute).toBe(2);
    expect(figuresOf(state, NOW + 1_000).deliveriesPerMinute).toBe(1);
  });

  test('history is shown in the order of its times', () => {
    const live = told(fresh(), { deliveries: [deliveryRow(50)] });
    const state = reduce(live, {
      type: 'history',
      at: NOW,
      deliveries: [deliveryRow(10), deliveryRow(90), deliveryRow(20)],
      audit: [auditRow(1)],
    });
    expect(ids(state.rows.deliveries)).toEqual([10, 20, 50, 90].map((number) => deliveryRow(number).id));
    expect(ids(state.rows.audit)).toEqual([auditRow(1).id]);
  });

  test('history that comes late does not undo what was told since', () => {
    const now = deliveryRow(1, { status: 'delivered', updatedAt: iso(1) });
    const before = deliveryRow(1, { status: 'pending', updatedAt: iso(5) });
    const state = reduce(told(fresh(), { deliveries: [now] }), { type: 'history', at: NOW, deliveries: [before], audit: [] });
    expect(state.rows.deliveries).toEqual([now]);
  });
});

describe('endpoints that the service disables', () => {
  const disabled = (reason: string) =>
    auditRow(1, { action: 'webhook.auto_disabled', actorType: 'system', resourceId: endpointRow(1).id, metadata: { reason } });
  const seen = (): State => reduce(fresh(), { type: 'endpoints', rows: [endpointRow(1, { name: 'Shop sync' })] });

  test.for([
    ['endpoint_gone', 'the endpoint Shop sync was disabled: its receiver answered 410 (gone)'],
    ['failing_too_long', 'the endpoint Shop sync was disabled: nothing has succeeded for 120 h'],
    ['another', 'the endpoint Shop sync was disabled'],
  ] as const)('are told at once, with the reason %s in words', ([reason, text]) => {
    expect(told(seen(), { audit: [disabled(reason)] }).ui.notice).toEqual({ text, tone: 'bad', until: NOW + NOTICE_MS });
  });

  test('are counted apart from those that fail; what somebody does is no notice', () => {
    const state = reduce(seen(), { type: 'endpoints', rows: [endpointRow(1, { status: 'disabled' }), endpointRow(2)] });
    expect(figuresOf(state, NOW)).toMatchObject({ failing: 0, disabled: 1, endpoints: 2 });
    expect(told(state, { audit: [auditRow(2, { action: 'webhook.disabled' })] }).ui.notice).toBeNull();
  });
});

describe('other data', () => {
  const before = (): State =>
    told(fresh(), { deliveries: [deliveryRow(1), deliveryRow(2)], requests: [requestRow(1)], audit: [auditRow(1)] });

  test('everything read anew leaves nothing of the deliveries that are no more', () => {
    const state = reduce(before(), { type: 'history', at: NOW, deliveries: [deliveryRow(2)], audit: [], anew: true });
    expect(ids(state.rows.deliveries)).toEqual([deliveryRow(2).id]);
    expect(ids(state.rows.audit)).toEqual([auditRow(1).id]);
  });

  test('data that were replaced take their deliveries and audit trail with them; requests were made all the same', () => {
    const { rows } = reduce(before(), { type: 'replaced' });
    expect([rows.deliveries, rows.audit, ids(rows.requests)]).toEqual([[], [], [requestRow(1).id]]);
  });
});

describe('limits', () => {
  const limit = { keyId: 'k1', keyPrefix: 'pk_test_1', tier: 'standard', limit: 120, remaining: 12, resetAt: NOW / 1_000 + 30 };

  test('what is left is told until the window ends, then it is the whole limit', () => {
    const [row] = told(fresh(), { limits: [limit] }).rows.limits;
    if (!row) throw new Error('no row');
    expect([leftOf(row, NOW), leftOf(row, NOW + 29_999), leftOf(row, NOW + 30_000)]).toEqual([12, 12, 120]);
  });

  test('the end of the window is by the clock of the service, which may be ahead', () => {
    const ahead = reduce(fresh(), { type: 'about', about: { clockAheadMs: 3_600_000 } });
    const state = told(ahead, { limits: [{ ...limit, resetAt: limit.resetAt + 3_600 }] });
    expect(state.rows.limits[0]?.resetsAt).toBe(NOW + 30_000);
  });

  test('requests and refusals are counted by key', () => {
    const requests = [
      requestRow(1, { keyId: 'k1' }),
      requestRow(2, { keyId: 'k1', status: 429 }),
      requestRow(3, { keyId: null, status: 401 }),
    ];
    const state = told(fresh(), { limits: [limit], requests });
    const [row] = state.rows.limits;
    expect([row?.refused, state.refused, perMinute(row?.meter ?? state.delivered, NOW)]).toEqual([1, 1, 2]);
    expect(state.rows.limits).toHaveLength(1);
  });

  test('keys keep what is known of them, those that were revoked go', () => {
    const key = { id: 'k1', prefix: 'pk_test_1', name: 'Shop', rateLimitTier: 'standard' };
    const others = {
      scopes: [],
      environment: null,
      applicationId: null,
      createdAt: iso(0),
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    };
    const state = told(fresh(), { limits: [limit, { ...limit, keyId: 'gone' }] });
    const after = reduce(state, { type: 'keys', at: NOW, keys: [{ ...key, ...others }], tiers: { standard: 200 } });
    expect(after.rows.limits).toEqual([{ ...state.rows.limits[0], name: 'Shop', prefix: 'pk_test_1', limit: 200 }]);
  });

  test('the tightest is the one with the smallest part left', () => {
    const state = told(fresh(), {
      limits: [limit, { ...limit, keyId: 'k2', limit: 600, remaining: 30 }, { ...limit, keyId: 'k3', remaining: 120 }],
    });
    expect(figuresOf(state, NOW).tightest).toMatchObject({ left: 30, limit: 600 });
  });

  test('requests by capability are counted on from where the service began', () => {
    const state = reduce(fresh(), { type: 'capabilities', since: 'since 2026-03-01', rows: [{ capability: 'items.list', count: 40 }] });
    expect(
      told(state, { requests: [requestRow(1), requestRow(2, { operationId: 'orders.list' }), requestRow(3, { operationId: null })] })
        .capabilities.rows,
    ).toEqual([
      { capability: 'items.list', count: 41 },
      { capability: 'orders.list', count: 1 },
    ]);
  });
});

describe('the connection', () => {
  test('is lost since the first break, however often it is tried again', () => {
    const lost = [1, 2, 3].reduce<State>((state, at) => reduce(state, { type: 'lost', at: NOW + at, reason: 'gone' }), fresh());
    expect(lost.connection).toEqual({ state: 'lost', since: NOW + 1, tries: 3, reason: 'gone' });
    expect(reduce(lost, { type: 'connected', at: NOW + 9 }).connection).toEqual({ state: 'live', since: NOW + 9, tries: 0, reason: null });
  });

  test('takes nothing away that is known', () => {
    const state = busyState();
    expect(reduce(state, { type: 'lost', at: NOW, reason: 'gone' }).rows).toBe(state.rows);
  });
});

test('a notice goes when its time is over, and not before', () => {
  const state = reduce(fresh(), { type: 'notice', at: NOW, text: 'saved', tone: 'good' });
  expect(reduce(state, { type: 'tick', at: NOW + 7_999 })).toBe(state);
  expect(reduce(state, { type: 'tick', at: NOW + 8_000 }).ui.notice).toBeNull();
});

test('details that come when another row is open are dropped', () => {
  const row = deliveryRow(1);
  const open: State = {
    ...fresh(),
    ui: { ...fresh().ui, overlay: { kind: 'detail', tab: 'deliveries', row, more: { state: 'loading' }, scroll: 0 } },
  };
  expect(reduce(open, { type: 'loaded', id: deliveryRow(2).id, more: { state: 'ready', value: {} } })).toBe(open);
  expect(reduce(open, { type: 'loaded', id: row.id, more: { state: 'ready', value: {} } }).ui.overlay).toMatchObject({
    more: { state: 'ready' },
  });
  expect(reduce(fresh(), { type: 'loaded', id: row.id, more: { state: 'ready', value: {} } }).ui.overlay).toBeNull();
});

describe('while the reader has paused', () => {
  test('what comes is counted by tab, and what stood there stays as it was', () => {
    const before = told(fresh(), { deliveries: [deliveryRow(1)] });
    const paused: State = {
      ...before,
      ui: { ...before.ui, paused: { rows: before.rows, held: { deliveries: 0, limits: 0, endpoints: 0, requests: 0, audit: 0 } } },
    };
    const after = told(told(paused, { deliveries: [deliveryRow(2), deliveryRow(3)] }), { requests: [requestRow(1)] });
    expect(after.ui.paused?.held).toEqual({ deliveries: 2, limits: 0, endpoints: 0, requests: 1, audit: 0 });
    expect(after.ui.paused?.rows).toBe(before.rows);
    expect(after.rows.deliveries).toHaveLength(3);
  });
});

describe('whatever is told', () => {
  const number = fc.nat(3_000);
  const actions = fc.oneof(
    fc
      .record({
        deliveries: fc.array(number, { maxLength: 400 }),
        requests: fc.array(number, { maxLength: 400 }),
        audit: fc.array(number, { maxLength: 400 }),
      })
      .map((some): Action => ({
        type: 'news',
        at: NOW,
        news: news({
          deliveries: some.deliveries.map((one) => deliveryRow(one)),
          requests: some.requests.map((one) => requestRow(one)),
          audit: some.audit.map((one) => auditRow(one)),
        }),
      })),
    fc.array(number, { maxLength: 2_500 }).map((some): Action => ({
      type: 'history',
      at: NOW,
      deliveries: some.map((one) => deliveryRow(one)),
      audit: some.map((one) => auditRow(one)),
    })),
    fc.constant<Action>({ type: 'endpoints', rows: [endpointRow(1)] }),
    fc.constant<Action>({ type: 'lost', at: NOW, reason: 'gone' }),
    fc.constant<Action>({ type: 'connected', at: NOW }),
  );

  test('memory stays bounded, no row is there twice, and no state is changed in place', () => {
    fc.assert(
      fc.property(fc.array(actions, { maxLength: 12 }), (some) => {
        let state = fresh();
        for (const action of some) {
          const text = JSON.stringify(state.rows.deliveries.slice(-5));
          const next = reduce(state, action);
          expect(JSON.stringify(state.rows.deliveries.slice(-5))).toBe(text);
          state = next;
          for (const rows of [state.rows.deliveries, state.rows.requests, state.rows.audit]) {
            expect(rows.length).toBeLessThanOrEqual(RING_MAX);
            expect(new Set(ids(rows)).size).toBe(rows.length);
          }
        }
      }),
      { seed: SEED, numRuns: 25 },
    );
  });

  test('the newest rows are the ones that stay', () => {
    const state = told(fresh(), { requests: Array.from({ length: RING_MAX + 10 }, (_, index) => requestRow(index)) });
    expect([state.rows.requests.length, state.rows.requests[0]?.id, state.rows.requests.at(-1)?.id]).toEqual([
      RING_MAX,
      requestRow(10).id,
      requestRow(RING_MAX + 9).id,
    ]);
  });
});
