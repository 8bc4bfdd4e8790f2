import { renderToString } from 'ink';
import { describe, expect, test } from 'vitest';
import { ABOUT, NOW, auditRow, busyState, deliveryRow, failedRow } from '../../test/support/dashboard.ts';
import { widthOf } from '../cli/width.ts';
import { type Size, SMALLEST, frameOf, sightOf } from './frame.ts';
import { lineWidth, textOf } from './lines.ts';
import { type AnyRow, type Overlay, type State, type Tab, TABS, initialState } from './model.ts';
import { reduce } from './reduce.ts';
import { Screen } from './screen.tsx';

const SIZES: readonly Size[] = [
  { columns: 60, rows: 15 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 200, rows: 60 },
];
const withUi = (state: State, ui: Partial<State['ui']>): State => ({ ...state, ui: { ...state.ui, ...ui } });
const busy = busyState();
const linesOf = (state: State, size: Size): string[] => frameOf(state, NOW, size).map(textOf);

const body = JSON.stringify({
  event: 'order.created',
  data: { note: 'a long note '.repeat(40), wide: '倉庫'.repeat(60), deep: { list: [1, 2, 3] } },
});
const shown = {
  ...failedRow(7),
  request: { method: 'POST', url: 'https://shop.example/hooks', headers: { 'X-Service-Signature': `v1=${'ab'.repeat(32)}` }, body },
  history: Array.from({ length: 8 }, () => ({ at: failedRow(7).updatedAt, milliseconds: 15_000, httpStatus: null, error: 'timeout' })),
};
const overlays: readonly [string, Overlay][] = [
  ['help', { kind: 'help', scroll: 0 }],
  ['detail', { kind: 'detail', tab: 'deliveries', row: failedRow(7), more: { state: 'ready', value: shown }, scroll: 0 }],
  ['audit detail', { kind: 'detail', tab: 'audit', row: auditRow(1), more: null, scroll: 0 }],
  ['confirmation', { kind: 'confirm-resend', ids: ['a', 'b'] }],
  ['copy', { kind: 'copy', tab: 'deliveries', row: deliveryRow(1) }],
];
const states: readonly [string, State][] = [
  ...TABS.map((tab): [string, State] => [tab, withUi(busy, { tab })]),
  ...TABS.map((tab): [string, State] => [`${tab}, empty`, withUi(initialState(ABOUT, NOW), { tab })]),
  ...overlays.map(([name, overlay]): [string, State] => [name, withUi(busy, { overlay })]),
  ['filter', withUi(busy, { draft: '/(/' })],
  ['long filter', withUi(busy, { filters: { ...busy.ui.filters, deliveries: 'created'.repeat(40) } })],
  [
    'paused',
    withUi(busy, {
      paused: { rows: busy.rows, held: { deliveries: 1_234, limits: 0, endpoints: 0, requests: 0, audit: 0 } },
      failedOnly: true,
    }),
  ],
  ['lost', reduce(busy, { type: 'lost', at: NOW - 90_000, reason: 'the daemon has gone; waiting for it' })],
  ['notice', reduce(busy, { type: 'notice', at: NOW, text: 'saved 2,000 rows to '.padEnd(300, '/very/long'), tone: 'good' })],
  ['banners', reduce(busy, { type: 'about', about: { productionKey: 'pk_live_AEiRCOXV', faults: 'POST /v1/items, '.repeat(30) } })],
  [
    'hostile',
    reduce(busy, {
      type: 'about',
      about: { url: 'http://\u001b[2J\u202eevil', tenant: { slug: null, name: '\u001b]52;c;x\u0007', plan: 'pro' } },
    }),
  ],
];

describe.each(SIZES)('at $columns x $rows', (size) => {
  test.each(states)('%s fills the screen exactly, and no line is wider', (_name, state) => {
    const lines = frameOf(state, NOW, size);
    expect(lines).toHaveLength(size.rows);
    for (const line of lines) expect([textOf(line), lineWidth(line) <= size.columns]).toEqual([textOf(line), true]);
    // oxlint-disable-next-line eslint/no-control-regex
    expect(lines.map(textOf).join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/u);
  });

  test.each(TABS.map((tab) => [tab]))('the terminal gets %s as it was laid out', (tab: Tab) => {
    const state = withUi(busy, { tab });
    const drawn = renderToString(<Screen state={state} now={NOW} size={size} />, { columns: size.columns }).split('\n');
    // oxlint-disable-next-line eslint/no-control-regex
    const plain = drawn.map((line) => line.replaceAll(/\u001b\[[\d;]*m/gu, '').trimEnd());
    expect(plain).toEqual(linesOf(state, size).map((line) => line.trimEnd()));
    for (const line of plain) expect(widthOf(line)).toBeLessThanOrEqual(size.columns);
  });

  test('says in its first lines which service, whether it is connected, and what is wrong', () => {
    const [service = '', figures = '', tabs = ''] = linesOf(busy, size);
    expect(service).toMatch(/^127\.0\.0\.1:8625 {2}Kestrel Coffee.*\* live$/u);
    expect(figures).toMatch(/^300 deliveries\/min · 1 endpoint failing · 0\/120 left/u);
    expect(tabs).toContain('[1 Deliveries]');
    expect(
      linesOf(states.find(([name]) => name === 'lost')?.[1] ?? busy, size)
        .slice(0, 2)
        .join('\n'),
    ).toMatch(/! reconnecting for 1m\nthe daemon has gone/u);
  });

  test('the selected row is marked and in sight, wherever it is', () => {
    for (const index of [0, 1, 150, 298, 299]) {
      const row = busy.rows.deliveries[index];
      const state = withUi(busy, { places: { ...busy.ui.places, deliveries: { selected: row?.id ?? null, index } } });
      expect(linesOf(state, size).filter((line) => line.startsWith('> '))).toHaveLength(1);
    }
    expect(linesOf(busy, size).at(-2)).toMatch(/^> /u);
  });

  test('an overlay can be scrolled to its last line', () => {
    for (const [name, overlay] of overlays.slice(0, 3)) {
      const { lines, height } = sightOf(withUi(busy, { overlay }), NOW, size);
      const end = withUi(busy, { overlay: { ...overlay, scroll: Math.max(0, lines - height) } as Overlay });
      const last = linesOf(end, size)
        .slice(0, -1)
        .findLast((line) => line !== '');
      expect(last, name).toMatch(name === 'help' ? /^q {9}quit *$/u : /\}$/u);
    }
  });

  test('a banner warns of production keys and of faults that are made on purpose', () => {
    const state = reduce(busy, { type: 'about', about: { productionKey: 'pk_live_AEiRCOXV', faults: 'POST /v1/items' } });
    const [key, faults] = linesOf(state, size);
    expect(key).toMatch(/^ PRODUCTION KEY pk_live_AEiRCOXV: what you do here is real/u);
    expect(faults).toMatch(/^ FAULTS ACTIVE: POST \/v1\/items/u);
  });
});

test('an open detail tells its row as it is by now, and which keys do something to it', () => {
  const size = { columns: 80, rows: 24 };
  const [endpoint, delivery] = [busy.rows.endpoints[0], busy.rows.deliveries[0]];
  const open = (tab: Tab, row: AnyRow | undefined): State =>
    withUi(busy, { tab, overlay: { kind: 'detail', tab, row: row as AnyRow, more: null, scroll: 0 } });
  const before = open('endpoints', endpoint);
  expect(linesOf(before, size).join('\n')).toMatch(/^status +active/mu);
  const rows = busy.rows.endpoints.map((row) => (row === endpoint ? { ...row, status: 'disabled' as const } : row));
  const after = reduce(before, { type: 'endpoints', rows });
  expect(linesOf(after, size).join('\n')).toMatch(/^status +disabled/mu);
  expect(linesOf(after, size)[1]).toContain('1 disabled');
  // What is gone stands there as it was last.
  expect(linesOf(reduce(before, { type: 'endpoints', rows: [] }), size).join('\n')).toMatch(/^status +active/mu);

  expect(linesOf(before, size).at(-1)).toBe('esc back  j k scroll  T check  y copy  e pager');
  expect(linesOf(open('deliveries', delivery), size).at(-1)).toBe('esc back  j k scroll  r resend  y copy  e pager');
  expect(linesOf(open('limits', busy.rows.limits[0]), size).at(-1)).toBe('esc back  j k scroll  y copy  e pager');
});

test('every status, connection and gauge can be told without colours', () => {
  const screen = linesOf(busy, { columns: 120, rows: 40 }).join('\n');
  expect(screen).toMatch(/x failed/u);
  expect(screen).toMatch(/\+ delivered/u);
  expect(linesOf(withUi(busy, { tab: 'endpoints' }), { columns: 120, rows: 40 }).join('\n')).toMatch(
    /x failing[\s\S]*\+ active|\+ active[\s\S]*x failing/u,
  );
  expect(linesOf(withUi(busy, { tab: 'limits' }), { columns: 120, rows: 40 }).join('\n')).toMatch(/\[#+\]/u);
});

test('a screen that is too small says what it needs', () => {
  for (const size of [
    { columns: 59, rows: 15 },
    { columns: 60, rows: 14 },
    { columns: 20, rows: 4 },
    { columns: 1, rows: 1 },
  ]) {
    const lines = linesOf(busy, size);
    expect(lines.length).toBeLessThanOrEqual(size.rows);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(size.columns);
  }
  expect(linesOf(busy, { columns: 59, rows: 15 })[0]).toContain(`${String(SMALLEST.columns)}x${String(SMALLEST.rows)}`);
});
