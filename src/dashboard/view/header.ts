/** The header: which service, whether it is connected, and what is wrong. */
import { sanitize } from '../../platform/terminal-text.ts';
import { type Line, type Span, truncateLine, justify, measureLine, plain } from './lines.ts';
import { type State, type Tab, TABS } from '../state/model.ts';
import { countProblems, describeProblems } from './counts.ts';
import { describeFailing, getFigures } from './selectors.ts';
import { getTable } from './tables.ts';
import { formatCount, formatNumber, formatInterval } from './format.ts';

/** Two lines, plus a banner each for a store that rejects changes, injected faults and production keys. */
export function renderHeader(state: State, now: number, width: number): readonly Line[] {
  const { about, connection } = state;
  const { name, slug, plan } = about.tenant;
  const tenant = [name ?? slug, plan === null ? null : `(${plan})`].filter((part) => part !== null).join(' ');
  const badge: Line =
    connection.state === 'live'
      ? plain(about.local ? '* live' : '* polling', 'good')
      : connection.state === 'connecting'
        ? plain('… connecting', 'warn')
        : plain(`! reconnecting for ${formatInterval(now - connection.since)}`, 'bad');
  const service: Line = [
    { text: sanitize(about.url.replace(/^https?:\/\//u, '')), bold: true },
    { text: tenant === '' ? '' : `  ${sanitize(tenant)}` },
  ];
  return [
    ...(about.storeProblem === null ? [] : [banner(`CHANGES REJECTED: ${sanitize(about.storeProblem)}`, width)]),
    ...(about.productionKey === null ? [] : [banner(`PRODUCTION KEY ${about.productionKey}: actions affect production`, width)]),
    ...(about.faults === null ? [] : [banner(`FAULTS ACTIVE: ${sanitize(about.faults)}`, width)]),
    // A long name is truncated in favor of the badge.
    justify(truncateLine(service, width - measureLine(badge) - 2), badge, width),
    renderFigures(state, now, width),
  ];
}

const banner = (text: string, width: number): Line => [
  { text: ` ${text} `.slice(0, width).padEnd(width), tone: 'bad', bold: true, inverse: true },
];

function renderFigures(state: State, now: number, width: number): Line {
  const { about, connection } = state;
  if (connection.state === 'lost' && connection.reason !== null) return truncateLine(plain(sanitize(connection.reason), 'bad'), width);
  if (connection.state === 'connecting') return truncateLine(plain(`Connecting to ${sanitize(about.url)}…`, 'dim'), width);
  const { deliveriesPerMinute, tightest } = getFigures(state, now);
  const rate: Line = about.local
    ? plain(`${formatNumber(deliveriesPerMinute)} ${deliveriesPerMinute === 1 ? 'delivery' : 'deliveries'}/min`)
    : plain(about.polling ?? '', 'dim');
  const withHealth = (isNamed: boolean): Line => [...rate, { text: ' · ' }, ...renderHealth(state, now, isNamed)];
  const [named, counted] = [withHealth(true), withHealth(false)];
  let left: Line = [];
  let reset: Line = [];
  let key: Line = [];
  if (tightest) {
    const { row, left: remaining, limit } = tightest;
    const tone = remaining === 0 ? 'bad' : remaining < limit / 4 ? 'warn' : 'plain';
    left = [{ text: ' · ' }, { text: `${formatNumber(remaining)}/${formatNumber(limit)} left`, tone }];
    if (row.resetsAt !== null && row.resetsAt > now) reset = plain(`, reset ${formatInterval(row.resetsAt - now + 999)}`, tone);
    key = plain(`, ${row.prefix}`, tone);
  }
  const rejections: Line =
    state.refused > 0 ? [{ text: ' · ' }, { text: `${formatCount(state.refused, 'rejection')} (429)`, tone: 'bad' }] : [];
  // The less a part helps with a problem, the sooner a narrow screen omits it.
  const variants: readonly Line[] = [
    [...named, ...left, ...reset, ...key, ...rejections],
    [...named, ...left, ...reset, ...rejections],
    [...named, ...left, ...rejections],
    [...counted, ...left, ...rejections],
    [...named, ...left],
    [...counted, ...left],
  ];
  return variants.find((line) => measureLine(line) <= width) ?? truncateLine([...counted, ...left], width);
}

/** What is wrong with the deliveries: `Warehouse failing, 2 failed, 3 retrying`, or `1 endpoint failing, …`. */
function renderHealth(state: State, now: number, isNamed: boolean): readonly Span[] {
  const { failing, disabled, endpoints } = getFigures(state, now);
  const { failed } = countProblems(state.rows.deliveries);
  const problems = describeProblems(state.rows.deliveries);
  const parts: Span[] = [
    ...(failing.length > 0
      ? [
          {
            text: isNamed ? describeFailing(failing) : `${formatCount(failing.length, 'endpoint')} failing`,
            tone: 'bad',
            bold: true,
          } as const,
        ]
      : []),
    ...(problems === '' ? [] : [{ text: problems, tone: failed > 0 ? 'bad' : 'warn' } as const]),
    ...(disabled > 0 ? [{ text: `${formatCount(disabled, 'endpoint')} disabled`, tone: 'warn' } as const] : []),
  ];
  // Without problems so far.
  if (parts.length === 0 && !state.isComplete) return [{ text: 'reading…', tone: 'dim' }];
  if (parts.length === 0) return [{ text: `${formatCount(endpoints, 'endpoint')}, no problems`, tone: 'good' }];
  return parts.flatMap((part, at) => (at === 0 ? [part] : [{ text: ', ' }, part]));
}

/** `[1 Deliveries] 2 Limits …`: brackets mark the active tab without color. A narrow screen has short titles, or only digits. */
export function renderTabs({ ui }: State, width: number): Line {
  const render = (gap: string, getText: (tab: Tab) => string): Line =>
    TABS.flatMap((tab, index): Span[] => {
      const isActive = tab === ui.tab;
      const text = `${String(index)} ${isActive ? getTable(tab).title : getText(tab)}`.trimEnd();
      const before = { text: index === 0 ? '' : gap };
      return isActive ? [before, { text: `[${text}]`, bold: true }] : [before, { text, tone: 'dim' }];
    });
  const variants = [render('  ', (tab) => getTable(tab).title), render(' ', (tab) => getTable(tab).short), render('  ', () => '')];
  return variants.find((line) => measureLine(line) <= width) ?? truncateLine(variants.at(-1) ?? [], width);
}
