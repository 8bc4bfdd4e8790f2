import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { draw, drawLines } from '../../../test/support/dashboard-frames.tsx';
import { NAMED_KEYS, SIZE, busy, getStatusLine, play, some } from '../../../test/support/dashboard-keys.ts';
import { NOW, auditRow, deliveryRow, emptyState, failedRow, withUpdates } from '../../../test/support/dashboard-states.ts';
import { checkProperty } from '../../../test/support/property.ts';
import { chooseTestEvent } from './row-keys.ts';
import { type DeliveryRow, type State, TABS } from '../state/model.ts';
import { reduce } from '../state/reduce.ts';
import { selectList } from '../tables/selectors.ts';

describe('effects of keys', () => {
  test('Ctrl-Z stops, Ctrl-L draws everything and Ctrl-C quits, whatever is open or typed; :q quits', () => {
    for (const before of [[], ['/', 'x'], [':', 'x'], ['?'], ['enter'], ['R']]) {
      const types = play(some, ...before, 'ctrl-z', 'ctrl-l', 'ctrl-c').effects.map(({ type }) => type);
      expect(types.filter((type) => type !== 'load')).toEqual(['stop', 'redraw', 'quit']);
    }
    expect(play(some, ':', 'q', 'enter').effects).toEqual([{ type: 'quit' }]);
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
    expect(play(busy, '0', 'T').state.ui.overlay).toMatchObject({ kind: 'confirm', effect: { type: 'trigger' } });
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

test('any sequence of keys renders a complete frame', async () => {
  const names = [...NAMED_KEYS, ...Array.from('012345678c jkgGfFpRryTsSewoi :/?q![]x漢')];
  await checkProperty(
    fc.property(fc.array(fc.constantFrom(...names), { maxLength: 60 }), (keys) => {
      const { state } = play(busy, ...keys);
      expect(TABS).toContain(state.ui.tab);
      expect(drawLines(state, SIZE)).toHaveLength(SIZE.rows);
    }),
  );
});
