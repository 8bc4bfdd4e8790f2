import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  NOW,
  auditRow,
  busyState,
  deliveryRow,
  emptyState,
  endpointRow,
  failedRow,
  iso,
  orderRow,
  withUpdates,
} from '../../../test/support/dashboard-states.ts';
import { draw, drawInverse, drawLines } from '../../../test/support/dashboard-frames.tsx';
import { getViewport } from '../view/layout.ts';
import type { KeyPress } from '../state/key-bindings.ts';
import { type DeliveryRow, type State, TABS } from '../state/model.ts';
import type { OrderStatus } from '../../contract/resources/orders.ts';
import { reduce } from '../state/reduce.ts';
import type { Effect } from './effects.ts';
import { handleKey } from './key-press.ts';
import { selectList } from '../tables/selectors.ts';
import { toReplays } from '../tables/replays.ts';
import { chooseTestEvent } from '../sources/source.ts';
import { checkProperty } from '../../../test/support/property.ts';

const SIZE = { columns: 80, rows: 24 };
const NAMED = [
  'enter',
  'esc',
  'backspace',
  'up',
  'down',
  'left',
  'right',
  'pageup',
  'pagedown',
  'home',
  'end',
  'tab',
  'shift-tab',
  'ctrl-u',
  'ctrl-d',
];
const getKey = (name: string): KeyPress => ({ name, text: NAMED.includes(name) ? null : name });

/** Presses keys one after the other; what they asked for is collected. */
function play(state: State, ...names: readonly string[]): { state: State; effects: Effect[] } {
  const effects: Effect[] = [];
  let now = state;
  for (const name of names) {
    const { state: next, effect } = handleKey(now, getKey(name), getViewport(now, NOW, SIZE));
    now = next;
    if (effect) effects.push(effect);
  }
  return { state: now, effects };
}
const busy = busyState(50);
const some = withUpdates(emptyState(), { deliveries: [deliveryRow(1), failedRow(2), deliveryRow(3), failedRow(4)] });
const getStatusLine = (state: State): string => drawLines(state, { columns: 160, rows: 50 }).at(-1) ?? '';
const visible = (state: State): string[] => selectList(state, NOW).rows.map(({ id }) => id);

describe('moving the selection', () => {
  test('stops following when moved up from the newest row and resumes at the end of the list', () => {
    const up = play(busy, 'k').state;
    expect([selectList(busy, NOW).following, selectList(up, NOW).following, selectList(up, NOW).selected]).toEqual([true, false, 48]);
    expect(selectList(play(up, 'j').state, NOW).following).toBe(true);
    expect(selectList(play(busy, 'g', 'G').state, NOW)).toMatchObject({ following: true, selected: 49 });
  });

  test('keeps the selected row selected when rows are added or moved', () => {
    const on = play(some, 'g').state;
    const more = withUpdates(on, { deliveries: [deliveryRow(9), deliveryRow(1, { attempts: 2 })] });
    const { rows, selected } = selectList(more, NOW);
    expect([selected, rows[selected]?.id]).toEqual([4, deliveryRow(1).id]);
  });

  test('never moves outside the list', () => {
    expect(selectList(play(busy, 'g', 'k', 'up', 'pageup').state, NOW).selected).toBe(0);
    expect(selectList(play(busy, 'pagedown', 'j').state, NOW).selected).toBe(49);
    expect(selectList(play(emptyState(), 'j', 'k', 'g', 'G', 'enter', 'r', 'y', 'e', 'w', 'o', 's', ' ', 'R').state, NOW).selected).toBe(
      -1,
    );
  });
});

describe('the filter', () => {
  test('applies while being typed, is kept by enter and discarded by esc', () => {
    const typing = play(some, '/', 'f', 'a', 'i', 'l').state;
    expect(visible(typing)).toEqual([failedRow(2).id, failedRow(4).id]);
    expect(play(typing, 'esc').state.ui.filters.deliveries).toBe('');
    expect(play(typing, 'enter').state.ui).toMatchObject({ filterInput: null, filters: { deliveries: 'fail' } });
  });

  const type = (state: State, text: string) => play(state, ...Array.from(text), 'enter').state;

  test.each(['took:>abc', 'statsu:x', '/(/'])('with a problem is never applied, and can be corrected: %s', (query) => {
    const before = type(some, '/status:failed');
    const rejected = play(before, '/', 'ctrl-u', ...Array.from(query), 'enter').state;
    expect(rejected.ui).toMatchObject({ filterInput: query, filters: { deliveries: 'status:failed' } });
    expect(visible(rejected)).toEqual(visible(before));
    const { columns, rows } = SIZE;
    const lines = drawLines(rejected, SIZE);
    const message = lines
      .slice(
        lines.findIndex((line) => line.startsWith('at 1: ')),
        -1,
      )
      .join(' ');
    expect([lines.length, lines.every((line) => line.length <= columns), lines.at(-1)]).toEqual([
      rows,
      true,
      expect.stringContaining(`/${query}_`),
    ]);
    expect(message).toMatch(/not "abc"$|no field "statsu"; there are event, .*, until$|invalid regular expression: .*[^…]$/u);
    expect(type(rejected, ' ').ui.filterInput).toBe(`${query} `);
    expect(play(rejected, 'esc').state.ui).toMatchObject({ filterInput: null, filters: { deliveries: 'status:failed' } });
    // After `:`, and of a saved filter.
    const jumped = type(play(before, '4').state, `:deliveries ${query}`);
    expect(jumped.ui).toMatchObject({ tab: 'deliveries', filterInput: query, filters: { deliveries: 'status:failed' } });
    const saved = { ...before, savedFilters: [{ key: 'w', name: 'x', tab: 'deliveries' as const, query }] };
    expect(play(saved, 'F', 'w').state.ui).toMatchObject({ filterInput: query, filters: { deliveries: 'status:failed' } });
  });

  test('can be edited, cleared and recalled separately for each tab', () => {
    const kept = play(some, '/', 'x', 'enter').state;
    expect(play(kept, '/', 'y').state.ui.filterInput).toBe('xy');
    const cleared = play(kept, 'esc').state;
    expect([cleared.ui.filters.deliveries, play(cleared, '/').state.ui.filterInput]).toEqual(['', '']);
    // A regular expression can be typed whatever was filtered before.
    expect(['z', '/', 'up'].map((key) => play(cleared, '/', key).state.ui.filterInput)).toEqual(['z', '/', 'x']);
    expect(play(cleared, '4', '/').state.ui.filterInput).toBe('');
    expect(play(cleared, '/', 'ctrl-u', 'up').state.ui.filterInput).toBe('x');
    expect(play(cleared, '/', 'backspace', 'backspace').state.ui.filterInput).toBe('');
    const several = play(cleared, '/', 'y', 'enter', '/', 'ctrl-u', 'x', 'enter', '/', 'ctrl-u', 'z', 'enter').state;
    const recalled = (...keys: string[]) => play(several, '/', ...keys).state.ui.filterInput;
    expect([recalled('up'), recalled('up', 'up'), recalled('up', 'up', 'up', 'up')]).toEqual(['z', 'x', 'y']);
    expect([recalled('up', 'up', 'down'), recalled('up', 'down'), recalled('down')]).toEqual(['z', '', '']);
  });

  test('F shows the saved filters, and the key of one applies it in its tab', () => {
    const savedFilters = [{ key: 'w', name: 'Warehouse errors', tab: 'requests', query: 'status:429' }];
    const shown = play({ ...busy, savedFilters }, 'F').state;
    expect(draw(shown, SIZE)).toMatch(/^w {3}Warehouse errors +requests {2}\/status:429/mu);
    const applied = play(shown, 'w').state;
    expect(applied.ui).toMatchObject({ tab: 'requests', filters: { requests: 'status:429' }, overlay: null });
    expect(visible(applied).length).toBeLessThan(busy.rows.requests.length);
    expect(drawLines(play(busy, 'F').state, SIZE).join(' ').replaceAll('  ', ' ')).toContain('"dashboard": {"filters"');
  });

  test('treats key bindings as text while typing', () => {
    const { state, effects } = play(some, '/', 'q', 'r', 'T', '1');
    expect([state.ui.filterInput, effects]).toEqual(['qrT1', []]);
  });
});

describe('effects of keys', () => {
  test('r resends the selected delivery and does nothing on other tabs', () => {
    expect(play(some, 'r').effects).toEqual([{ type: 'resend', row: failedRow(4) }]);
    expect(play(busy, '4', 'r').effects).toEqual([]);
  });

  test('r asks before it resends a delivered delivery, also when it was delivered while it was open, and returns to where it was', () => {
    const onDelivered = play(some, 'k', 'r');
    expect(onDelivered.effects).toEqual([]);
    expect(getStatusLine(onDelivered.state)).toContain('Resend this delivery, which was already delivered? y to resend');
    expect(play(onDelivered.state, 'n').effects).toEqual([]);
    expect(play(onDelivered.state, 'y').effects).toEqual([{ type: 'resend', row: deliveryRow(3) }]);
    const opened = play(some, ' ', 'G', 'enter').state;
    const later = withUpdates(opened, { deliveries: [deliveryRow(4)] });
    const asked = play(later, 'r');
    expect(asked.effects).toEqual([]);
    for (const answer of ['y', 'n']) expect(play(asked.state, answer).state.ui.overlay).toEqual(opened.ui.overlay);
    const content = { state: 'ready', value: {} } as const;
    const loaded = reduce(asked.state, { type: 'loaded', id: failedRow(4).id, content });
    expect(play(loaded, 'n').state.ui.overlay).toMatchObject({ kind: 'detail', content });
    // Marks of other deliveries stay.
    const marked = play(some, 'g', ' ', 'j', 'r');
    expect(play(marked.state, 'y').state.ui.marked).toEqual(new Set([deliveryRow(1).id]));
  });

  test('Ctrl-Z stops, Ctrl-L draws everything and Ctrl-C quits, whatever is open or typed; :q quits', () => {
    for (const before of [[], ['/', 'x'], [':', 'x'], ['?'], ['enter'], ['R']]) {
      const types = play(some, ...before, 'ctrl-z', 'ctrl-l', 'ctrl-c').effects.map(({ type }) => type);
      expect(types.filter((type) => type !== 'load')).toEqual(['stop', 'redraw', 'quit']);
    }
    expect(play(some, ':', 'q', 'enter').effects).toEqual([{ type: 'quit' }]);
  });

  test('R shows what it would resend by endpoint and age, then resends exactly the failed deliveries shown, at the chosen rate', () => {
    const asked = play(some, '/', '0', '2', 'enter', 'R');
    expect(asked.effects).toEqual([]);
    expect(draw(asked.state, SIZE)).toMatch(
      /^Resend 1 shown delivery \(1 failed\)[^]*UNDER 1 H[^]*^ {2}0199f2a0 +1 +1 +0 +0 16m ago[^]*10 a second: 1s/mu,
    );
    expect(play(asked.state, 'y').effects).toEqual([{ type: 'resend-many', rows: [failedRow(2)] }]);
    for (const other of ['n', 'esc', 'q'])
      expect(play(asked.state, other)).toMatchObject({ effects: [], state: { ui: { overlay: null } } });
    const rates = ['right', 'right', 'right', 'left', 'left'].map(
      (_, at, keys) => play(asked.state, ...keys.slice(0, at + 1)).state.ui.overlay,
    );
    expect(rates.map((overlay) => overlay?.kind === 'resend' && overlay.rate)).toEqual([50, 200, 200, 50, 10]);
  });

  test('while deliveries are resent, their number is shown, p pauses, and the end closes the question', () => {
    const started = play(some, 'R', 'y').state;
    const resent = (state: State, isQueued: boolean | null) => reduce(state, { type: 'resent', isQueued });
    const half = resent(resent(started, true), false);
    const text = draw(half, SIZE);
    expect(text).toMatch(/\[#+\] 1 of 2 queued *\n +1 rejected/u);
    expect(getStatusLine(play(half, 'p').state)).toMatch(/^PAUSED {2}p continue/u);
    expect(play(half, 'p', 'p', 'y')).toEqual({ state: half, effects: [] });
    expect(resent(half, null).ui.overlay).toBeNull();
    expect(resent(play(half, 'esc').state, true).ui.overlay).toBeNull();
  });

  test('R counts what the service has beyond what was read, and a chooses replays of all', () => {
    const shown = reduce(some, { type: 'endpoints', rows: [endpointRow(1)] });
    const [request] = toReplays('', shown.rows.endpoints, NOW) ?? [];
    const asked = play(shown, 'R');
    expect(asked.effects).toEqual([{ type: 'count-replays', requests: [request] }]);
    // Chosen before the counts have arrived, it is not answered before.
    expect(play(asked.state, 'a', 'y')).toMatchObject({ effects: [], state: { ui: { overlay: { isAll: true, progress: null } } } });
    const counts = [{ request: request!, selected: 12_345, oldestAt: failedRow(1).createdAt }];
    const counted = reduce(asked.state, { type: 'counted', content: { state: 'ready', value: counts } });
    expect(draw(counted, SIZE)).toContain('a resends all 12,345 failed ones that the service has');
    expect(play(counted, 'y').effects).toMatchObject([{ type: 'resend-many' }]);
    const all = play(counted, 'a', 'right', 'right', 'right').state;
    expect(draw(all, SIZE)).toMatch(
      /^Resend all 12,345 failed deliveries of the service[^]*^ {2}Endpoint 1 +12,345 16m ago[^]*100 a second: 2m/mu,
    );
    expect(getStatusLine(all)).toMatch(/^y resends 12,345 deliveries {2}a those shown/u);
    const started = play(all, 'y');
    expect(started.effects).toEqual([{ type: 'replay', counts, rate: 100 }]);
    const half = reduce(started.state, { type: 'replayed', sent: 5_000, failed: 7 });
    expect(draw(half, SIZE)).toMatch(/\] 5,000 of 12,345 delivered *\n +7 failed again/u);
    expect(play(half, 'p', 'left').state).toEqual(half);
    expect(play(half, 'esc').state.ui.overlay).toBeNull();
    const none = reduce(asked.state, { type: 'counted', content: { state: 'ready', value: [{ ...counts[0]!, selected: 2 }] } });
    expect(draw(none, SIZE)).toContain('The service has no other failed ones.');
    const noneChosen = reduce(play(asked.state, 'a').state, { type: 'counted', content: { state: 'failed', reason: 'No key.' } });
    expect(draw(noneChosen, SIZE)).toMatch(/^Resend 2 shown[^]*Only what was read: No key\./mu);
    expect(play(noneChosen, 'y').effects).toMatchObject([{ type: 'resend-many' }]);
    expect(draw(play(shown, '/', 'h', 't', 't', 'p', ':', '5', 'x', 'x', 'enter', 'R').state, SIZE)).toContain('Only what was read');
  });

  test('R on the overview resends what the selected sentence is about: all failed deliveries of the service, or the retrying ones', () => {
    const retrying = failedRow(5, { status: 'retrying' });
    const lost = failedRow(6, { webhookId: endpointRow(2).id });
    const rows = [endpointRow(1, { failed: 39 }), endpointRow(2, { status: 'disabled', failed: 2 })];
    const overview = play(reduce(withUpdates(some, { deliveries: [retrying, lost] }), { type: 'endpoints', rows }), '0').state;
    expect(draw(reduce(overview, { type: 'connected', at: NOW }), SIZE)).toMatch(
      /41 failed, 1 retrying[^]*41 deliveries failed for good; R resends them, except 2 of disabled endpoints/u,
    );
    const requests = toReplays('', rows, NOW) ?? [];
    const asked = play(overview, 'R');
    expect(asked.effects).toEqual([{ type: 'count-replays', requests }]);
    const content = { state: 'ready', value: [{ request: requests[0]!, selected: 39, oldestAt: iso(9) }] } as const;
    const counted = reduce(asked.state, { type: 'counted', content });
    expect(play(counted, 'y').effects).toEqual([{ type: 'replay', counts: content.value, rate: 10 }]);
    expect(play(counted, 'a', 'y').effects).toEqual([{ type: 'resend-many', rows: [failedRow(2), failedRow(4)] }]);
    // Without an API key there are no replays.
    const refused = reduce(asked.state, { type: 'counted', content: { state: 'failed', reason: 'No key.' } });
    expect(draw(refused, SIZE)).toMatch(/^Resend 2 deliveries \(2 failed\)[^]*No key\./mu);
    expect(play(overview, 'j', 'j', 'R', 'y').effects).toEqual([{ type: 'resend-many', rows: [retrying] }]);
    expect(play(withUpdates(emptyState(), { deliveries: [deliveryRow(1)] }), '0', 'R').state.ui.notice?.text).toMatch(/^No delivery/u);
  });

  test('the preview of R has each delivery in the column of the age that the list shows', () => {
    const late = failedRow(2, { createdAt: iso(40 * 3_600), updatedAt: iso(16 * 3_600) });
    const shown = withUpdates(emptyState(), { deliveries: [late, failedRow(4, { createdAt: iso(40 * 3_600) })] });
    expect(draw(play(shown, 'R').state, SIZE)).toMatch(/UNDER 1 H +1 TO 24 H +OVER 24 H +OLDEST EVENT\n +0199f2a0 +2 +1 +1 +0 1d ago/u);
  });

  test('f shows failed and retrying deliveries, and R resends exactly these', () => {
    const state = withUpdates(some, {
      deliveries: [
        failedRow(5, { status: 'retrying', attempts: 2 }),
        // Resent, and not attempted again yet.
        failedRow(6, { status: 'pending' }),
        failedRow(7, { status: 'discarded', lastError: 'endpoint_disabled' }),
      ],
    });
    const rows = [failedRow(2), failedRow(4), failedRow(5, { status: 'retrying', attempts: 2 })];
    const shown = rows.map(({ id }) => id);
    expect(visible(play(state, 'f').state)).toEqual(shown);
    expect(play(state, 'f', 'R').state.ui.overlay).toMatchObject({ rows, from: 'shown' });
    expect(play(state, 'R', 'y').effects).toEqual([{ type: 'resend-many', rows }]);
    expect(play(some, '/', 'x', 'x', 'enter', 'R').state.ui.notice?.text).toBe('No failed or retrying delivery is shown');
  });

  test('f applies to its own tab, and only where some rows are problems', () => {
    const shown = (state: State) => [state.ui.tab, visible(state).length, getStatusLine(state)];
    const onlyFailed = play(busy, 'f').state;
    expect(shown(onlyFailed)).toEqual(['deliveries', 8, expect.stringContaining('problems only')]);
    expect(shown(play(onlyFailed, '4').state)).toEqual(['requests', 50, expect.not.stringContaining('problems only')]);
    expect(shown(play(onlyFailed, '4', 'f').state)).toEqual(['requests', 6, expect.stringContaining('problems only')]);
    expect(shown(play(onlyFailed, '4', '1').state)).toEqual(shown(onlyFailed));
    expect(visible(play(onlyFailed, '4', 'f', 'esc', '1').state)).toHaveLength(8);
    const calm = withUpdates(emptyState(), { deliveries: [deliveryRow(1)], audit: [auditRow(1)] });
    for (const tab of ['1', '5']) {
      const before = play(calm, tab).state;
      expect(play(before, 'f').state).toBe(before);
      expect(getStatusLine(before)).not.toContain('f problems');
    }
    expect(getStatusLine(busy)).toContain('f problems');
  });

  test('f stays on when the last problem is solved, and says so', () => {
    const solved = withUpdates(play(some, 'f').state, {
      deliveries: [2, 4].map((number) => deliveryRow(number, { updatedAt: failedRow(9).updatedAt })),
    });
    expect(draw(solved, SIZE)).toContain('No problems (0 of 4). Esc shows all rows.');
    expect(visible(play(solved, 'f').state)).toHaveLength(4);
  });

  test('w writes all rows, including those hidden by a filter or a pause', () => {
    const paused = withUpdates(play(some, 'p', 'f').state, { deliveries: [deliveryRow(5)] });
    const [effect] = play(paused, 'w').effects;
    expect(effect?.type === 'save' ? effect.rows.length : 0).toBe(5);
  });

  test('enter opens the row, and keys in the detail view act on that row', () => {
    const open = play(some, 'g', 'enter');
    expect(open.effects).toEqual([{ type: 'load', tab: 'deliveries', row: deliveryRow(1) }]);
    const later = withUpdates(open.state, { deliveries: [failedRow(1, { attempts: 2 })] });
    expect(play(later, 'r').effects).toEqual([{ type: 'resend', row: deliveryRow(1) }]);
    expect(play(later, 'y', 'c').effects).toEqual([{ type: 'copy', tab: 'deliveries', row: deliveryRow(1), as: 'curl' }]);
    expect(play(later, 'q').state.ui.overlay).toBeNull();
  });

  test('T tests the selected endpoint on its tab, and on others sends an event once that was confirmed', () => {
    expect(play(busy, '3', 'T').effects).toMatchObject([{ type: 'check' }]);
    const asked = play(busy, '4', 'T');
    expect([asked.effects, getStatusLine(asked.state)]).toEqual([
      [],
      `Send order.created to ${String(busy.rows.endpoints.length)} endpoints, as if it had happened? y sends`,
    ]);
    expect(play(asked.state, 'y')).toMatchObject({
      effects: [{ type: 'trigger', event: 'order.created' }],
      state: { ui: { overlay: null } },
    });
    expect(play(asked.state, 'T')).toMatchObject({ effects: [], state: { ui: { notice: { text: 'Nothing was sent' } } } });
    expect(play(busy, '0', 'T').state.ui.overlay).toMatchObject({ kind: 'confirm-trigger' });
    const detail = play(busy, 'enter').state;
    expect(play(detail, 'T', 'y')).toMatchObject({
      effects: [{ event: 'inventory.item.created' }],
      state: { ui: { overlay: detail.ui.overlay } },
    });
    const remote = { ...busy, about: { ...busy.about, isLocal: false } };
    expect(play(remote, 'T').state.ui).toMatchObject({ overlay: null, notice: { text: 'Available only for the local daemon' } });
    expect(chooseTestEvent(deliveryRow(1), [])).toBe('inventory.item.created');
    expect(chooseTestEvent(undefined, busy.rows.endpoints)).toBe('order.created');
    expect(chooseTestEvent(undefined, [])).toBeNull();
  });

  test('q quits from the list, ctrl-c from anywhere', () => {
    expect(play(some, 'q').effects).toEqual([{ type: 'quit' }]);
    for (const before of [[], ['/'], ['enter'], ['?'], ['R']])
      expect(play(some, ...before, 'ctrl-c').effects.at(-1)).toEqual({ type: 'quit' });
  });
});

describe('navigation', () => {
  const [first, second] = busy.rows.endpoints;

  test('enter on an endpoint shows its deliveries, and esc returns to the endpoints', () => {
    const opened = play(busy, '3', 'j', 'enter').state;
    expect(opened.ui).toMatchObject({ tab: 'deliveries', endpointId: second?.id, overlay: null });
    const ids = new Set((selectList(opened, NOW).rows as readonly DeliveryRow[]).map(({ webhookId }) => webhookId));
    expect([...ids]).toEqual([second?.id]);
    expect(play(opened, 'esc').state.ui).toMatchObject({ tab: 'endpoints', endpointId: null });
    expect(play(opened, '4', '1').state.ui.endpointId).toBeNull();
    expect(play(busy, '3', 'i').state.ui.overlay).toMatchObject({ kind: 'detail', row: first });
  });

  test('enter on an audit row loads its record, unless the public API does not have it', () => {
    expect(play(busy, '5', 'enter').effects).toMatchObject([{ type: 'load', tab: 'audit' }]);
    const state = withUpdates(emptyState(), { audit: [auditRow(1, { resourceType: 'api_key' })] });
    expect(play(state, '5', 'enter')).toMatchObject({ effects: [], state: { ui: { overlay: { content: null } } } });
  });

  test('s sorts by one column after the other, S reverses, and esc restores the order', () => {
    const byTry = play(busy, 's', 's', 's', 's', 's').state;
    const attempts = (state: State) => (selectList(state, NOW).rows as readonly DeliveryRow[]).map((row) => row.attempts);
    expect([byTry.ui.sortings.deliveries?.by, attempts(byTry)[0], attempts(byTry).at(-1)]).toEqual(['TRY', 1, 8]);
    const reversed = play(byTry, 'S').state;
    expect([attempts(reversed)[0], attempts(reversed).at(-1), selectList(reversed, NOW)]).toMatchObject([
      8,
      1,
      { selected: 0, following: false },
    ]);
    expect(visible(play(reversed, 'esc').state)).toEqual(visible(busy));
    expect(play(busy, 'S').state.ui.sortings.deliveries).toBeNull();
  });

  test('space marks deliveries, and R resends the marked ones among those shown', () => {
    const marked = play(some, 'g', ' ', ' ').state;
    expect([...marked.ui.marked]).toEqual([deliveryRow(1).id, failedRow(2).id]);
    const asked = play(marked, 'R').state;
    expect(asked.ui.overlay).toMatchObject({ rows: [deliveryRow(1), failedRow(2)], from: 'marked' });
    expect(play(asked, 'y').state.ui.marked.size).toBe(0);
    expect(play(marked, 'f', 'R').state.ui.overlay).toMatchObject({ rows: [failedRow(2)] });
    expect(play(marked, 'g', ' ').state.ui.marked.has(deliveryRow(1).id)).toBe(false);
    expect(play(busy, '2', ' ').state.ui.notice?.text).toBe('Only deliveries can be marked');
  });

  test(': goes to a tab with a filter, or finds a record, whose content is shown when it arrives', () => {
    expect(play(busy, ':', ...Array.from('audit item'), 'enter').state.ui).toMatchObject({
      tab: 'audit',
      filters: { audit: 'item' },
      commandInput: null,
    });
    const { state, effects } = play(busy, ':', ...Array.from('orders SO-12'), 'enter');
    expect(effects).toEqual([{ type: 'find', id: 'orders SO-12', target: { kind: 'orders', name: 'SO-12' } }]);
    const content = { state: 'ready', value: { path: '/v1/orders/1', value: { orderNumber: 'SO-12' } } } as const;
    const found = reduce(state, { type: 'found', id: 'orders SO-12', content });
    expect(draw(found, SIZE)).toMatch(/^order number {4}SO-12 *$/mu);
    expect(getStatusLine(found)).toContain('J JSON');
    const asJson = play(found, 'J').state;
    expect(draw(asJson, SIZE)).toContain('"orderNumber": "SO-12"');
    expect(play(asJson, 'J').state).toEqual(found);
    expect(play(found, 'o').effects).toEqual([{ type: 'url', path: '/v1/orders/1' }]);
    expect(play(found, 'esc').state.ui.overlay).toBeNull();
    expect(reduce(busy, { type: 'found', id: 'orders SO-12', content })).toBe(busy);
    expect(play(busy, ':', 'x', 'enter').state.ui.notice?.text).toMatch(/^Type :/u);
    expect(play(busy, ':', 'x', 'esc').state.ui).toMatchObject({ commandInput: null, notice: null });
  });

  test('an order that : found has the keys of one that was opened from the list', () => {
    const order = orderRow(77, { status: 'open' });
    const { state } = play(busy, ':', ...Array.from('SO-000077'), 'enter');
    const find = (status: OrderStatus): State => {
      const value = { orderNumber: order.orderNumber, status };
      const content = { state: 'ready', value: { path: `/v1/orders/${order.id}`, value, order } } as const;
      return reduce(state, { type: 'found', id: 'orders SO-000077', content });
    };
    const found = find('open');
    expect(draw(found, SIZE)).toMatch(/^order SO-000077\norder number +SO-000077$/mu);
    expect(getStatusLine(found)).toMatch(/c status {2}y copy {2}o URL {2}e pager {2}J JSON/u);
    // Its row is as it was when it was found; the record may have been read again.
    expect(play(find('completed'), 'c').state.ui.notice?.text).toBe('SO-000077 is completed, which is final');
    expect(play(found, 'c').effects).toMatchObject([{ type: 'preview-status', order: { id: order.id } }]);
    expect(play(found, 'y', 'c').effects).toEqual([{ type: 'copy', tab: 'orders', row: order, as: 'curl' }]);
    expect(play(found, 'e', 'o').effects).toEqual([
      { type: 'page', tab: 'orders', row: order },
      { type: 'url', path: `/v1/orders/${order.id}` },
    ]);
  });

  test.for(['G', 'end'])('%s in a record shows its end, also after the rest of it has loaded, until another key scrolls', (key) => {
    const value = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`field${String(index)}`, index]));
    const load = (state: State) => reduce(state, { type: 'loaded', id: auditRow(49).id, content: { state: 'ready', value } });
    const opened = play(busy, '5', 'enter').state;
    expect(draw(load(opened), SIZE)).not.toMatch(/^field59 /mu);
    const atEnd = load(play(opened, key).state);
    expect(draw(atEnd, SIZE)).toMatch(/^field59 /mu);
    expect(draw(play(atEnd, 'k').state, SIZE)).toMatch(/^field58 /mu);
    expect(draw(play(atEnd, 'k').state, SIZE)).not.toMatch(/^field59 /mu);
    expect(draw(play(atEnd, 'g').state, SIZE)).toBe(draw(load(opened), SIZE));
    expect(draw(load(play(opened, 'j').state), SIZE)).not.toMatch(/^field59 /mu);
  });

  test('o shows the URL of the selected row', () => {
    expect(play(busy, '2', 'o').effects).toEqual([{ type: 'url', path: '/v1/usage' }]);
  });
});

describe('c', () => {
  const opened = play(busy, '7', 'c');
  const [order] = busy.rows.orders;
  const preview = {
    version: '2026-03-31T13:00:00.000Z',
    effects: [{ item: 'HB-250', change: -2, onHand: 1, committed: 3, available: -2 }],
  };
  const answer = (state: State, to: OrderStatus): State =>
    reduce(state, { type: 'previewed', orderId: order?.id ?? '', to, content: { state: 'ready', value: preview } });

  test('asks for the status of an order, the most frequent first, and shows what it does to the stock before it can be answered', () => {
    expect(opened.effects).toEqual([{ type: 'preview-status', order, to: 'completed' }]);
    expect(draw(opened.state, SIZE)).toMatch(/Change the status of SO-000000[^]*open → \[completed\] in_progress [^]*effect on stock…/u);
    expect(play(opened.state, 'y')).toEqual({ state: opened.state, effects: [] });
    const shown = answer(opened.state, 'completed');
    expect(draw(shown, SIZE)).toMatch(/HB-250 +3 +-2 +1 +3 +-2/u);
    expect(getStatusLine(shown)).toContain('y changes SO-000000 to completed');
    const answered = play(shown, 'y');
    expect(answered.effects).toEqual([{ type: 'set-status', order, to: 'completed', preview }]);
    expect(answered.state.ui.overlay).toBeNull();
  });

  test('chooses another status with the arrow keys, and ignores the effect of one that is no longer chosen', () => {
    const other = play(opened.state, 'right');
    expect(other.effects).toEqual([{ type: 'preview-status', order, to: 'in_progress' }]);
    expect(play(other.state, 'left').effects).toEqual([{ type: 'preview-status', order, to: 'completed' }]);
    expect(answer(other.state, 'completed')).toBe(other.state);
    expect(play(answer(other.state, 'in_progress'), 'n').state.ui).toMatchObject({
      overlay: null,
      notice: { text: 'SO-000000 was not changed' },
    });
  });

  test('works in the details of an order, which are shown again after the answer', () => {
    const detail = play(busy, '7', 'enter').state;
    expect(play(answer(play(detail, 'c').state, 'completed'), 'y').state.ui.overlay).toEqual(detail.ui.overlay);
    expect(play(detail, 'c', 'esc').state.ui.overlay).toEqual(detail.ui.overlay);
  });

  test('is for orders only', () => {
    expect(play(busy, 'c').state.ui.notice?.text).toBe('Select an order to change its status');
  });
});

test('/ in details finds text, n and N go to the next and previous line with it, and esc leaves', () => {
  const value = Object.fromEntries(
    Array.from({ length: 90 }, (_, index) => [index % 30 === 7 ? `Kestrel${String(index)}` : `field${String(index)}`, index]),
  );
  const opened = reduce(play(busy, '5', 'enter').state, { type: 'loaded', id: auditRow(49).id, content: { state: 'ready', value } });
  const inverse = (state: State): string[] => {
    const lines = drawLines(state, SIZE);
    const found = drawInverse(state, SIZE).filter((text) => text.toLowerCase() === 'kestrel');
    // As many lines have the text as have it inverse.
    expect(lines.filter((line) => /^kestrel\d/iu.test(line))).toHaveLength(found.length);
    return lines.filter((line) => /^kestrel\d/iu.test(line));
  };
  const typing = play(opened, '/', ...Array.from('kestrel')).state;
  expect(getStatusLine(typing)).toMatch(/^\/kestrel_ +enter find/u);
  const [first, second, third] = [play(typing, 'enter').state, play(typing, 'enter', 'n').state, play(typing, 'enter', 'N').state];
  expect([first, second, third].map(inverse)).toEqual([
    [expect.stringMatching(/^kestrel7 /u)],
    [expect.stringMatching(/^kestrel37 /u)],
    [expect.stringMatching(/^kestrel67 /u)],
  ]);
  expect(play(third, 'n').state).toEqual(first);
  expect(getStatusLine(first)).toContain('n N next match');
  expect(play(first, 'esc').state.ui).toMatchObject({ overlay: null, search: null });
  expect(play(opened, '/', 'x', '!', 'enter').state.ui.notice?.text).toBe('No line with x!');
  expect(play(opened, '/', 'x', 'esc').state).toEqual(opened);
});

describe('pause', () => {
  test('freezes the rows and shows everything received when resumed', () => {
    const paused = play(some, 'p').state;
    const after = withUpdates(paused, { deliveries: [deliveryRow(5), failedRow(6)] });
    expect(visible(after)).toEqual(visible(some));
    expect(after.ui.paused?.held.deliveries).toBe(2);
    expect(visible(play(after, 'p').state)).toHaveLength(6);
  });
});

test('any sequence of keys renders a complete frame', async () => {
  const names = [...NAMED, ...Array.from('012345678c jkgGfFpRryTsSewoi :/?q![]x漢')];
  await checkProperty(
    fc.property(fc.array(fc.constantFrom(...names), { maxLength: 60 }), (keys) => {
      const { state } = play(busy, ...keys);
      expect(TABS).toContain(state.ui.tab);
      expect(drawLines(state, SIZE)).toHaveLength(SIZE.rows);
    }),
  );
});
