import { describe, expect, test } from 'vitest';
import { draw } from '../../../test/support/dashboard-frames.tsx';
import { SIZE, busy, getStatusLine, play, some, visible } from '../../../test/support/dashboard-keys.ts';
import { NOW, deliveryRow, emptyState, endpointRow, failedRow, iso, withUpdates } from '../../../test/support/dashboard-states.ts';
import { reduce } from '../state/reduce.ts';
import { toReplays } from '../tables/replays.ts';

describe('r', () => {
  test('resends the selected delivery and does nothing on other tabs', () => {
    expect(play(some, 'r').effects).toEqual([{ type: 'resend', row: failedRow(4) }]);
    expect(play(busy, '4', 'r').effects).toEqual([]);
  });

  test('asks before it resends a delivered delivery, also when it was delivered while it was open, and returns to where it was', () => {
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
});

describe('R', () => {
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
    const half = reduce(started, { type: 'resent', progress: { queued: 1, rejected: 1 } });
    const text = draw(half, SIZE);
    expect(text).toMatch(/\[#+\] 1 of 2 queued *\n +1 rejected/u);
    expect(getStatusLine(play(half, 'p').state)).toMatch(/^PAUSED {2}p continue/u);
    expect(play(half, 'p', 'p', 'y')).toEqual({ state: half, effects: [] });
    expect(reduce(half, { type: 'resent', progress: null }).ui.overlay).toBeNull();
    const late = { type: 'resent', progress: { queued: 2, rejected: 1 } } as const;
    expect(reduce(play(half, 'esc').state, late).ui.overlay).toBeNull();
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
    const half = reduce(started.state, { type: 'resent', progress: { queued: 5_000, rejected: 7 } });
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
});
