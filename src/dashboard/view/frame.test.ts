import { drawInverse, drawLines } from '../../../test/support/dashboard-frames.tsx';
import { play } from '../../../test/support/dashboard-keys.ts';
import { describe, expect, test } from 'vitest';
import type { ApiKey } from '../../contract/admin/keys.ts';
import {
  ABOUT,
  NOW,
  auditRow,
  busyState,
  deliveryRow,
  emptyState,
  endpointRow,
  eventRow,
  failedRow,
  iso,
  itemRow,
  orderRow,
  requestRow,
  withUpdates,
} from '../../../test/support/dashboard-states.ts';
import { measureWidth } from '../../cli/output/text-width.ts';
import { MIN_SIZE, type Size, getViewport } from './layout.ts';
import { type AnyRow, type DataTab, type Overlay, type State, TABS, withUi, withView } from '../state/model.ts';
import { reduce } from '../state/reduce.ts';
import { selectList } from '../tables/selectors.ts';

const SIZES: readonly Size[] = [
  { columns: 60, rows: 15 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 200, rows: 60 },
];
const busy = busyState();
const apiKey = (id: string): ApiKey => ({
  id,
  prefix: 'pk_test_AEiRCOXV',
  name: 'Web shop',
  scopes: [],
  environment: 'development',
  status: 'revoked',
  rateLimitTier: 'standard',
  applicationId: null,
  createdAt: iso(9),
  expiresAt: null,
  // Also a revoked key has a name.
  revokedAt: iso(5),
  lastUsedAt: null,
});
const getLines = drawLines;

const body = JSON.stringify({
  event: 'order.created',
  data: { note: 'a long note '.repeat(40), wide: '倉庫'.repeat(60), deep: { list: [1, 2, 3] } },
});
const shown = {
  ...failedRow(7),
  request: { method: 'POST', url: 'https://shop.example/hooks', headers: { 'X-Service-Signature': `v1=${'ab'.repeat(32)}` }, body },
  history: Array.from({ length: 8 }, (_, index) => ({
    at: failedRow(7).updatedAt,
    milliseconds: 15_000,
    httpStatus: null,
    error: 'timeout',
    ...(index > 0 && { timing: { waited: 1_500, connected: 4, answered: null, stored: 3 } }),
  })),
};
/** Attempts of the days before. */
const history = (days: number) => Array.from({ length: days }, (_, index) => ({ at: iso((days - index) * 86_400) }));
const overlays: readonly [string, Overlay][] = [
  ['help', { kind: 'help', scroll: 0 }],
  ['detail', { kind: 'detail', tab: 'deliveries', row: failedRow(7), content: { state: 'ready', value: shown }, scroll: 0 }],
  ['audit detail', { kind: 'detail', tab: 'audit', row: auditRow(1), content: null, scroll: 0 }],
  [
    'status question',
    {
      kind: 'status',
      order: orderRow(1),
      to: 'completed',
      content: {
        state: 'ready',
        value: {
          version: iso(1),
          effects: Array.from({ length: 90 }, () => ({
            item: '倉庫 '.repeat(30),
            change: -999_999.999_999,
            onHand: 1,
            committed: 2,
            available: -1,
          })),
        },
      },
      scroll: 0,
      before: null,
    },
  ],
  [
    'resend question',
    {
      kind: 'resend',
      rows: [failedRow(1), failedRow(2, { webhookId: endpointRow(2).id })],
      from: 'shown',
      rate: 10,
      all: {
        state: 'ready',
        value: [{ request: { webhookId: endpointRow(2).id, since: iso(3_600) }, selected: 12_345, oldestAt: iso(3_000) }],
      },
      isAll: false,
      progress: { queued: 1, rejected: 1, isPaused: true },
      scroll: 0,
    },
  ],
  ['copy', { kind: 'copy', tab: 'deliveries', row: deliveryRow(1) }],
];
const states: readonly [string, State][] = [
  ...TABS.map((tab): [string, State] => [tab, withUi(busy, { tab })]),
  ...TABS.map((tab): [string, State] => [`${tab}, empty`, withUi(emptyState(), { tab })]),
  ...overlays.map(([name, overlay]): [string, State] => [name, withUi(busy, { overlay })]),
  ['confirmation of a test event', play(busy, 'T').state],
  ['confirmation', play(busy, 'r').state],
  ['filter', withUi(busy, { filterInput: '/(/' })],
  ['long filter', withView(busy, 'deliveries', { filter: 'created'.repeat(40) })],
  [
    'paused',
    withUi(withView(busy, 'deliveries', { problemsOnly: true }), {
      paused: {
        rows: busy.rows,
        held: { deliveries: 1_234, limits: 0, endpoints: 0, requests: 0, audit: 0, items: 0, orders: 0, events: 0 },
      },
    }),
  ],
  ['lost', reduce(busy, { type: 'lost', at: NOW - 90_000, reason: 'the daemon has gone; waiting for it' })],
  ['notice', reduce(busy, { type: 'notice', at: NOW, text: 'saved 2,000 rows to '.padEnd(300, '/very/long'), tone: 'good' })],
  ['banners', reduce(busy, { type: 'about', about: { productionKey: 'pk_live_AEiRCOXV', faults: 'POST /v1/items, '.repeat(30) } })],
  [
    'hostile',
    reduce(busy, {
      type: 'about',
      about: { url: 'http://\u001b[2J\u202eevil', tenant: { slug: null, name: '\u001b]52;c;x\u0007', plan: 'pro', currency: null } },
    }),
  ],
];

describe.each(SIZES)('at $columns x $rows', (size) => {
  test.each(states)('the %s state fills the screen exactly and no line is wider', (_name, state) => {
    const lines = drawLines(state, size);
    expect(lines).toHaveLength(size.rows);
    for (const line of lines) expect([line, measureWidth(line) <= size.columns]).toEqual([line, true]);
    // oxlint-disable-next-line eslint/no-control-regex
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/u);
  });

  test('no column is truncated next to empty space, and the selected row is inverse over the whole width', () => {
    for (const tab of TABS) {
      const state = withUi(busy, { tab, isSplit: false });
      const rows = drawLines(state, size).filter((line) => /^[> ][* ]\S/u.test(line));
      const room = size.columns - Math.max(...rows.map(measureWidth));
      if (rows.some((line) => line.includes('…'))) expect([tab, room < 12]).toEqual([tab, true]);
      expect([tab, drawInverse(state, size).map(measureWidth)]).toEqual([tab, [size.columns]]);
    }
  });

  test('the items tab shows the state of each item and the whole command for the selected one', () => {
    const lines = getLines(withUi(busy, { tab: 'items', isSplit: false }), size);
    expect(lines.some((line) => /^> PKG-0 .*x oversold +-3/u.test(line))).toBe(true);
    expect(lines.some((line) => /^ {2}PKG-1 .*~ low +1,160/u.test(line))).toBe(true);
    const footer = lines.slice(lines.findIndex((line) => line.startsWith('  Reorder PKG-0'))).map((line) => line.trim());
    expect(footer.slice(1, -1).join(' ').trim()).toBe(busy.rows.items[0]?.command);
  });

  test('the bar of tabs has a number for every tab and the title of the current one, as many titles as fit', () => {
    const [, , bar = ''] = getLines(withUi(busy, { tab: 'orders' }), size);
    for (const [index] of TABS.entries()) expect(bar).toMatch(new RegExp(`(?:^|[ [])${String(index)}(?:[ \\]]|$)`, 'u'));
    expect(bar).toContain('[7 Orders]');
    expect(bar.includes(size.columns >= 120 ? '1 Deliveries ' : size.columns >= 80 ? '1 Deliv 2 Limits ' : ' 1  2 ')).toBe(true);
  });

  test('events name their record, what changed, and what became of their deliveries', () => {
    const lines = getLines(withUi(busy, { tab: 'events', isSplit: false }), size);
    expect(lines.at(-2)).toMatch(/^> \d\d:\d\d:\d\d order\.updated +SO-000299/u);
    if (size.columns >= 80) expect(lines.at(-2)).toMatch(/SO-000299 .*\+ 1 delivered/u);
    const [event] = busy.rows.events;
    const overlay = { kind: 'detail', tab: 'events', row: event as AnyRow, content: null, scroll: 0 } as const;
    const text = getLines(withUi(busy, { tab: 'events', overlay }), { ...size, rows: 40 }).join('\n');
    expect(text).toMatch(/^Deliveries \(1\)\n {2}Warehouse ☕ 倉庫 +failed\n\nData\n\{\n {2}"orderNumber": "SO-000000",/mu);
  });

  test('late orders are first and marked, and open orders have their details beside the list', () => {
    const lines = getLines(withUi(busy, { tab: 'orders' }), size);
    expect(lines[4]).toMatch(/^> SO-000000 +x 2026-03-28 +open/u);
    expect(lines[7]).toMatch(/^ {2}SO-000003 +2026-04-02 +open/u);
    expect(lines.join('\n').includes('│ Late: was due 2026-03-28.')).toBe(size.columns >= 120);
  });

  test('the events tab shows the item and the site of a stock level once they are known, and finds them', () => {
    const resourceId = `${itemRow(1).itemId}:${itemRow(2).itemId}`;
    const event = eventRow(999, { event: 'stock_level.updated', resourceType: 'stock_level', resourceId, data: { changes: ['onHand'] } });
    const received = withUpdates(busy, { events: [event] });
    const named = reduce(received, { type: 'levelNames', names: { [resourceId]: 'PKG-1 at Roastery' } });
    const filtered = withView(withUi(named, { tab: 'events', isSplit: false }), 'events', { filter: 'record:roastery' });
    expect(getLines(filtered, size).filter((line) => /^[> ] .*stock_level.updated +PKG-1 at R/u.test(line))).toHaveLength(1);
  });

  test('the audit tab shows the names of records once they are known, and finds them', () => {
    const rows = [3, 4].map((number) => auditRow(number, { resourceType: 'order', action: 'order.updated' }));
    const [first, second] = rows.map((row, at) => ({ ...row, recordName: `SO-00001${String(at)}`, actorName: 'ana@example.com' }));
    const received = withUpdates(emptyState(), { audit: rows });
    const named = reduce(received, { type: 'history', deliveries: [], audit: [first!, second!] });
    const text = getLines(withUi(named, { tab: 'audit', isSplit: false }), size).join('\n');
    expect(text).toContain('order SO-000011');
    expect(text.includes('ana@exam')).toBe(size.columns >= 80);
    const found = selectList(withView(withUi(named, { tab: 'audit' }), 'audit', { filter: 'SO-000010' }), NOW).rows;
    expect(found).toEqual([first]);
    const detail = withUi(named, { overlay: { kind: 'detail', tab: 'audit', row: first!, content: null, scroll: 0 } });
    expect(getLines(detail, size).join('\n')).toMatch(/^resource +order {2}SO-000010\b/mu);
  });

  test('limits show the names of keys, and the prefix of those without one or where there is room', () => {
    const [row] = busy.rows.limits;
    const keys = [{ ...apiKey(row!.id), prefix: row!.prefix, revokedAt: null }];
    const named = reduce({ ...busy, rows: { ...busy.rows, limits: [row!] } }, { type: 'keys', at: NOW, keys, tiers: {} });
    for (const tab of ['limits', 'overview'] as const)
      expect(getLines(withUi(named, { tab }), size).join('\n')).toMatch(/^(> | {2})Web shop /mu);
    expect(
      getLines(withUi(named, { tab: 'limits' }), size)
        .join('\n')
        .includes(row!.prefix),
    ).toBe(size.columns >= 120);
    expect(getLines(withUi(busy, { tab: 'limits' }), size).join('\n')).toContain(row!.prefix);
  });

  test('the audit tab shows the names of API keys', () => {
    const { actorId } = auditRow(1);
    const named = reduce(withUi(busy, { tab: 'audit', isSplit: false }), { type: 'keys', at: NOW, keys: [apiKey(actorId)], tiers: {} });
    // The narrowest screen has no room for the column.
    expect(getLines(named, size).join('\n').includes(' Web shop ')).toBe(size.columns >= 80);
  });

  test('the header shows the service, the connection and problems', () => {
    const [service = '', figures = '', tabs = ''] = getLines(busy, size);
    expect(service).toMatch(/^127\.0\.0\.1:8625 {2}Kestrel Coffee.*\* live$/u);
    // The narrowest screen has no room for the name.
    const failing = size.columns >= 80 ? 'Warehouse ☕ 倉庫 failing' : '1 endpoint failing';
    expect(figures).toMatch(new RegExp(`^300 deliveries/min · ${failing}, 906 failed · 0/120`, 'u'));
    expect(tabs).toContain('[1 Deliveries]');
    expect(
      getLines(states.find(([name]) => name === 'lost')?.[1] ?? busy, size)
        .slice(0, 2)
        .join('\n'),
    ).toMatch(/! reconnecting for 1m\nthe daemon has gone/u);
  });

  test('the selected row is marked and visible at any position', () => {
    for (const index of [0, 1, 150, 298, 299]) {
      const row = busy.rows.deliveries[index];
      const state = withView(busy, 'deliveries', { selected: row?.id ?? null, index });
      expect(getLines(state, size).filter((line) => line.startsWith('> '))).toHaveLength(1);
    }
    expect(getLines(busy, size).at(-2)).toMatch(/^> /u);
  });

  test('the details of the selected row are beside the list on a wide screen, unless v turns them off', () => {
    const failed = busy.rows.deliveries.find(({ status }) => status === 'failed')!;
    const selected = withView(busy, 'deliveries', { selected: failed.id });
    const preview = { id: failed.id, content: { state: 'ready', value: { ...shown, id: failed.id } } } as const;
    const isBeside = (isSplit: boolean): boolean =>
      getLines(withUi(selected, { preview, isSplit }), size).some((line) => line.includes('│ Attempts'));
    expect([isBeside(true), isBeside(false)]).toEqual([size.columns >= 120, false]);
    const other = getLines(withUi(busy, { preview }), size).join('\n');
    expect(other).not.toContain('Attempts');
  });

  test('the details of a delivery show each attempt with its steps, those of an earlier release without', () => {
    const [, detail] = overlays[1]!;
    const text = getLines(withUi(busy, { overlay: detail, isSplit: false }), { ...size, rows: 60 }).join('\n');
    expect(text).toMatch(/^ +TRY STARTED .*ANSWER .*TOOK +RESULT/mu);
    const [old = '', recent = ''] = text.split('\n').filter((line) => / timeout/u.test(line));
    const days = history(3).map(({ at }, index) => ({ ...shown.history[index]!, at }));
    const spread = { ...detail, content: { state: 'ready', value: { ...shown, history: days } } } as Overlay;
    const started = getLines(withUi(busy, { overlay: spread, isSplit: false }), { ...size, rows: 60 }).join('\n');
    expect(started).toMatch(/^ +7 Mar 29 \d\d:\d\d:\d\d .*\n +8 Mar 30 .*\n/mu);
    expect(old).toMatch(/^ +1 \d\d:\d\d:\d\d .*– +15\.0 s timeout/u);
    expect(recent).toMatch(size.columns >= 80 ? /^ +2 \d\d:\d\d:\d\d +1\.5 s +4 ms +– .* 15\.0 s timeout/u : /^ +2 /u);
    expect(/ \.+-\+ *$/mu.test(text)).toBe(size.columns >= 120);
  });

  test('an overlay scrolls to its last line', () => {
    for (const [name, overlay] of overlays.slice(0, 3)) {
      const { lines, height } = getViewport(withUi(busy, { overlay }), NOW, size);
      const end = withUi(busy, { overlay: { ...overlay, scroll: Math.max(0, lines - height) } as Overlay });
      const last = getLines(end, size)
        .slice(0, -1)
        .findLast((line) => line !== '');
      expect(last, name).toMatch(name === 'help' ? /^q {9}quit, also :q and ctrl-c *$/u : /\}$/u);
    }
  });

  test('a banner shows why the daemon rejects changes', () => {
    const state = reduce(busy, { type: 'about', about: { storeProblem: '/data was deleted while in use.' } });
    expect(getLines(state, size)[0]).toMatch(/^ CHANGES REJECTED: \/data was deleted while in use\./u);
  });

  test('banners warn of production keys and injected faults', () => {
    const state = reduce(busy, { type: 'about', about: { productionKey: 'pk_live_AEiRCOXV', faults: 'POST /v1/items' } });
    const [key, faults] = getLines(state, size);
    expect(key).toMatch(/^ PRODUCTION KEY pk_live_AEiRCOXV: actions affect production/u);
    expect(faults).toMatch(/^ FAULTS ACTIVE: POST \/v1\/items/u);
  });
});

test('an open detail view shows the current row and its keys', () => {
  const size = { columns: 80, rows: 24 };
  const [endpoint, delivery] = [busy.rows.endpoints[0], busy.rows.deliveries[0]];
  const open = (tab: DataTab, row: AnyRow | undefined): State =>
    withUi(busy, { tab, overlay: { kind: 'detail', tab, row: row as AnyRow, content: null, scroll: 0 } });
  const before = open('endpoints', endpoint);
  expect(getLines(before, size).join('\n')).toMatch(/^status +active/mu);
  const rows = busy.rows.endpoints.map((row) => (row === endpoint ? { ...row, status: 'disabled' as const } : row));
  const after = reduce(before, { type: 'endpoints', rows });
  expect(getLines(after, size).join('\n')).toMatch(/^status +disabled/mu);
  expect(getLines(after, size)[1]).toContain('1 endpoint disabled');
  // What is gone stands there as it was last.
  expect(getLines(reduce(before, { type: 'endpoints', rows: [] }), size).join('\n')).toMatch(/^status +active/mu);

  expect(getLines(before, size).at(-1)).toBe('esc back  j k scroll  / find  T check  y copy  o URL  e pager');
  expect(getLines(open('deliveries', delivery), size).at(-1)).toBe('esc back  j k scroll  / find  r resend  y copy  o URL  e pager');
  expect(getLines(open('limits', busy.rows.limits[0]), size).at(-1)).toBe('esc back  j k scroll  / find  y copy  o URL  e pager');
});

test('the header names the first failing endpoint and counts the others, before the reset and the key', () => {
  const rows = busy.rows.endpoints.map((row, index) => ({ ...row, failingSince: index < 4 ? iso(60) : null }));
  const figures = (columns: number): string => getLines(reduce(busy, { type: 'endpoints', rows }), { columns, rows: 24 })[1] ?? '';
  expect(figures(80)).toBe('300 deliveries/min · Shop sync and 3 more failing, 906 failed · 0/120 left');
  expect(figures(160)).toBe(
    '300 deliveries/min · Shop sync and 3 more failing, 906 failed · 0/120 left, reset 42s, pk_test_00000000 · 34 rejections (429) in the last hour',
  );
});

test('a notice that is too long for one line is shown whole, and the list still shows the selected row', () => {
  const text = `Saved 300 rows to stockroom-deliveries-2026-03-31T140000.ndjson in /home/operator/${'directory/'.repeat(6)}`;
  const state = reduce(busy, { type: 'notice', at: NOW, text, tone: 'good' });
  for (const columns of [60, 80, 160]) {
    const lines = getLines(state, { columns, rows: 24 });
    const notice = lines.slice(lines.findIndex((line) => line.startsWith('> ')) + 1);
    expect(notice.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    expect(notice.length > 1).toBe(columns < 160);
  }
});

test('an empty line of a detail view has the height of a line', () => {
  const [columns, rows] = [80, 24];
  const row = busy.rows.requests[0] as AnyRow;
  const state = withUi(busy, { tab: 'requests', overlay: { kind: 'detail', tab: 'requests', row, content: null, scroll: 0 } });
  expect(drawLines(state, { columns, rows })[rows - 1]).toContain('esc back');
});

test('nothing is said about endpoints and problems before they were read', () => {
  const figures = (state: State): string => getLines(state, { columns: 80, rows: 24 })[1] ?? '';
  const connecting = emptyState();
  expect(figures(connecting)).toBe(`Connecting to ${ABOUT.url}…`);
  const connected = reduce(connecting, { type: 'connected', at: NOW });
  expect(figures(connected)).toBe('0 deliveries/min · reading…');
  expect(figures(reduce(connected, { type: 'endpoints', rows: [endpointRow(1, { failingSince: iso(60) })] }))).toContain('failing');
  expect(figures(reduce(connected, { type: 'complete' }))).toBe('0 deliveries/min · 0 endpoints, no problems');
});

test('while esc has something to clear or to return from, the status line keeps it at any width', () => {
  const filtered = withView(busy, 'deliveries', { filter: 'created' });
  const cases: readonly [State, string][] = [
    [filtered, 'esc clear'],
    [withView(busy, 'deliveries', { filter: 'created'.repeat(40) }), 'esc clear'],
    [withView(busy, 'deliveries', { problemsOnly: true }), 'esc clear'],
    [withView(busy, 'deliveries', { sorting: { by: 'TIME', isDescending: true } }), 'esc clear'],
    [withUi(busy, { marked: new Set([busy.rows.deliveries[0]?.id ?? '']) }), 'esc clear'],
    [withUi(filtered, { endpointId: busy.rows.endpoints[1]?.id ?? '' }), 'esc back'],
  ];
  for (const columns of [60, 80, 160])
    for (const [state, hint] of cases) expect(getLines(state, { columns, rows: 24 }).at(-1)).toContain(`  ${hint}`);
  expect(getLines(busy, { columns: 160, rows: 24 }).at(-1)).not.toContain('esc');
});

test('the share of successful deliveries has its period: the delivery log, or for a remote service what was read', () => {
  const size = { columns: 80, rows: 24 };
  const [endpoint] = busy.rows.endpoints;
  const remote = { ...busy, about: { ...busy.about, isLocal: false } };
  const open = (state: State): string =>
    getLines(
      withUi(state, { tab: 'endpoints', overlay: { kind: 'detail', tab: 'endpoints', row: endpoint as AnyRow, content: null, scroll: 0 } }),
      size,
    ).join('\n');
  const titles = (state: State): string => getLines(withUi(state, { tab: 'endpoints' }), size)[3] ?? '';
  expect(titles(busy)).toMatch(/ STATUS +OK 30 d QUEUE /u);
  expect(titles(remote)).toMatch(/ STATUS +OK QUEUE /u);
  expect(open(busy)).toMatch(
    /^success +97 %: 97 delivered, 3 failed, 0 discarded\n +of the last 30 days, at most 10,000 deliveries of the tenant/mu,
  );
  expect(open(remote)).toMatch(/^ +of the deliveries that the dashboard has read/mu);
});

test('the details of a request show its error, and where the log of a daemon has the cause', () => {
  const open = (row: AnyRow, hasLogFile: boolean): string =>
    getLines(
      {
        ...withUi(busy, { tab: 'requests', overlay: { kind: 'detail', tab: 'requests', row, content: null, scroll: 0 } }),
        about: { ...ABOUT, hasLogFile },
      },
      { columns: 80, rows: 24 },
    )
      .join(' ')
      .replaceAll(/\s+/gu, ' ');
  const rejected = requestRow(1_000, { status: 409, errorCode: 'CONFLICT', errorMessage: 'sku is taken by another item.' });
  expect(open(rejected, true)).toContain('error CONFLICT sku is taken by another item.');
  expect(open(rejected, true)).not.toContain('log');
  const broken = requestRow(1_000, { status: 500, errorCode: 'INTERNAL_ERROR', errorMessage: 'Internal error.' });
  expect(open(broken, true)).toContain('Search `stockroom daemon logs` for the request id');
  expect(open(broken, false)).toContain('in the terminal where the service runs');
  expect(open(broken, false)).not.toContain('daemon logs');
  // A daemon of an earlier release sends no error.
  const { errorCode: _code, errorMessage: _message, ...older } = rejected;
  expect(open(older as AnyRow, true)).not.toMatch(/ error |undefined/u);
});

test('every status, connection and gauge is readable without color', () => {
  const screen = getLines(busy, { columns: 120, rows: 40 }).join('\n');
  expect(screen).toMatch(/x failed/u);
  expect(screen).toMatch(/\+ delivered/u);
  expect(getLines(withUi(busy, { tab: 'endpoints' }), { columns: 120, rows: 40 }).join('\n')).toMatch(
    /x failing[\s\S]*\+ active|\+ active[\s\S]*x failing/u,
  );
  expect(getLines(withUi(busy, { tab: 'limits' }), { columns: 120, rows: 40 }).join('\n')).toMatch(/\[#+\]/u);
});

test('an endpoint that the settings of the service block is a problem that says so, and its details say why', () => {
  const row = endpointRow(1, { name: 'Blocked', blockedReason: '127.0.0.1 is the machine of the service.' });
  const state = reduce(busy, { type: 'endpoints', rows: [row] });
  const size = { columns: 120, rows: 40 };
  expect(getLines(withUi(state, { tab: 'endpoints' }), size).join('\n')).toMatch(/x blocked/u);
  expect(getLines(state, size).join('\n')).toContain('Blocked failing');
  const overlay = { kind: 'detail', tab: 'endpoints', row, content: null, scroll: 0 } as const;
  expect(getLines(withUi(state, { tab: 'endpoints', overlay }), size).join('\n')).toContain('127.0.0.1 is the machine of the service.');
});

test('a screen that is too small shows the required size', () => {
  for (const size of [
    { columns: 59, rows: 15 },
    { columns: 60, rows: 14 },
    { columns: 20, rows: 4 },
    { columns: 1, rows: 1 },
  ]) {
    const lines = getLines(busy, size);
    expect(lines.length).toBeLessThanOrEqual(size.rows);
    for (const line of lines) expect(measureWidth(line)).toBeLessThanOrEqual(size.columns);
  }
  expect(getLines(busy, { columns: 59, rows: 15 })[0]).toContain(`${String(MIN_SIZE.columns)}x${String(MIN_SIZE.rows)}`);
});
