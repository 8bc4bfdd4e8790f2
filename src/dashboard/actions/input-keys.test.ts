import { describe, expect, test } from 'vitest';
import { draw, drawLines } from '../../../test/support/dashboard-frames.tsx';
import { SIZE, busy, getStatusLine, play, some, visible } from '../../../test/support/dashboard-keys.ts';
import { failedRow, orderRow } from '../../../test/support/dashboard-states.ts';
import type { OrderStatus } from '../../contract/resources/orders.ts';
import type { State } from '../state/model.ts';
import { reduce } from '../state/reduce.ts';

describe('the filter', () => {
  test('applies while being typed, is kept by enter and discarded by esc', () => {
    const typing = play(some, '/', 'f', 'a', 'i', 'l').state;
    expect(visible(typing)).toEqual([failedRow(2).id, failedRow(4).id]);
    expect(play(typing, 'esc').state.ui.views.deliveries.filter).toBe('');
    expect(play(typing, 'enter').state.ui).toMatchObject({ filterInput: null, views: { deliveries: { filter: 'fail' } } });
  });

  const type = (state: State, text: string) => play(state, ...Array.from(text), 'enter').state;

  test.each(['took:>abc', 'statsu:x', '/(/'])('with a problem is never applied, and can be corrected: %s', (query) => {
    const before = type(some, '/status:failed');
    const rejected = play(before, '/', 'ctrl-u', ...Array.from(query), 'enter').state;
    expect(rejected.ui).toMatchObject({ filterInput: query, views: { deliveries: { filter: 'status:failed' } } });
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
    expect(play(rejected, 'esc').state.ui).toMatchObject({ filterInput: null, views: { deliveries: { filter: 'status:failed' } } });
    // After `:`, and of a saved filter.
    const jumped = type(play(before, '4').state, `:deliveries ${query}`);
    expect(jumped.ui).toMatchObject({ tab: 'deliveries', filterInput: query, views: { deliveries: { filter: 'status:failed' } } });
    const saved = { ...before, savedFilters: [{ key: 'w', name: 'x', tab: 'deliveries' as const, query }] };
    expect(play(saved, 'F', 'w').state.ui).toMatchObject({ filterInput: query, views: { deliveries: { filter: 'status:failed' } } });
  });

  test('can be edited, cleared and recalled separately for each tab', () => {
    const kept = play(some, '/', 'x', 'enter').state;
    expect(play(kept, '/', 'y').state.ui.filterInput).toBe('xy');
    const cleared = play(kept, 'esc').state;
    expect([cleared.ui.views.deliveries.filter, play(cleared, '/').state.ui.filterInput]).toEqual(['', '']);
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
    expect(applied.ui).toMatchObject({ tab: 'requests', views: { requests: { filter: 'status:429' } }, overlay: null });
    expect(visible(applied).length).toBeLessThan(busy.rows.requests.length);
    expect(drawLines(play(busy, 'F').state, SIZE).join(' ').replaceAll('  ', ' ')).toContain('"dashboard": {"filters"');
  });

  test('treats key bindings as text while typing', () => {
    const { state, effects } = play(some, '/', 'q', 'r', 'T', '1');
    expect([state.ui.filterInput, effects]).toEqual(['qrT1', []]);
  });
});

test(': goes to a tab with a filter, or finds a record, whose content is shown when it arrives', () => {
  expect(play(busy, ':', ...Array.from('audit item'), 'enter').state.ui).toMatchObject({
    tab: 'audit',
    views: { audit: { filter: 'item' } },
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
