/** The header: which service, whether it is connected, and what is wrong; and the tabs. */
import { Box } from 'ink';
import type { JSX } from 'react';
import { type State, type Tab, TABS } from '../state/model.ts';
import { countServiceProblems, describeProblems } from '../tables/deliveries.ts';
import { formatCount, formatInterval, formatNumber } from '../tables/format.ts';
import { countAllRejected, describeReset, getKeyLabel, limitTone } from '../tables/limits.ts';
import { getTable } from '../tables/index.ts';
import { describeFailing, describeUnavailable, getFigures } from '../tables/selectors.ts';
import type { Span } from '../tables/table.ts';
import { Ends, Spans, T, pickFitting, toCell } from './text.tsx';

interface HeaderProps {
  readonly state: State;
  readonly now: number;
  readonly width: number;
}

/** A store that rejects changes, a production key and injected faults. */
export const listBanners = ({ about: { storeProblem, productionKey, faults } }: State): readonly string[] => [
  ...(storeProblem === null ? [] : [`CHANGES REJECTED: ${storeProblem}`]),
  ...(productionKey === null ? [] : [`PRODUCTION KEY ${productionKey}: actions affect production`]),
  ...(faults === null ? [] : [`FAULTS ACTIVE: ${faults}`]),
];

export function Header({ state, now, width }: HeaderProps): JSX.Element {
  const { name, slug, plan } = state.about.tenant;
  const tenant = [name ?? slug, plan === null ? null : `(${plan})`].filter((part) => part !== null).join(' ');
  const service = state.about.url.replace(/^https?:\/\//u, '');
  return (
    <Box flexDirection="column" flexShrink={0}>
      {listBanners(state).map((text) => (
        <T key={text} tone="bad" bold inverse>
          {toCell(` ${text}`, width)}
        </T>
      ))}
      <Ends left={[{ text: service, bold: true }, { text: tenant === '' ? '' : `  ${tenant}` }]} right={[describeConnection(state, now)]} />
      <Spans spans={pickFitting(listFigures(state, now), width)} />
      <Spans
        spans={pickFitting(
          TAB_BARS.map((bar) => bar(state.ui.tab)),
          width,
        )}
      />
    </Box>
  );
}

function describeConnection({ about, connection }: State, now: number): Span {
  if (connection.state === 'live') return { text: about.isLocal ? '* live' : '* polling', tone: 'good' };
  if (connection.state === 'connecting') return { text: '… connecting', tone: 'warn' };
  return { text: `! reconnecting for ${formatInterval(now - connection.since)}`, tone: 'bad' };
}

type Line = readonly Span[];

/** The less a part helps with a problem, the sooner a narrow screen omits it. */
function listFigures(state: State, now: number): readonly Line[] {
  const { about, connection } = state;
  if (connection.state === 'lost') return [[{ text: connection.reason, tone: 'bad' }]];
  if (connection.state === 'connecting') return [[{ text: `Connecting to ${about.url}…`, tone: 'dim' }]];
  const { deliveriesPerMinute, tightest } = getFigures(state, now);
  const perMinute = `${formatCount(deliveriesPerMinute, 'delivery', 'deliveries')}/min`;
  const rate: Span = about.isLocal ? { text: perMinute } : { text: about.polling ?? '', tone: 'dim' };
  const [named, counted] = [true, false].map((isNamed): Line => [rate, { text: ' · ' }, ...listHealth(state, now, isNamed)]);
  const { left, reset, key } = describeTightest(tightest, now);
  const rejected = countAllRejected(state, now);
  const rejections: Line =
    rejected > 0 ? [{ text: ' · ' }, { text: `${formatCount(rejected, 'rejection')} (429) in the last hour`, tone: 'bad' }] : [];
  const lines: readonly (readonly (Line | undefined)[])[] = [
    [named, left, reset, key, rejections],
    [named, left, reset, rejections],
    [named, left, rejections],
    [counted, left, rejections],
    [named, left],
    [counted, left],
  ];
  return lines.map((parts) => parts.flatMap((part) => part ?? []));
}

/** `0/120 left`, `, reset 42s` and `, Web shop` of the key with the least left. */
function describeTightest(
  tightest: ReturnType<typeof getFigures>['tightest'],
  now: number,
): Readonly<Record<'left' | 'reset' | 'key', Line>> {
  if (tightest === null) return { left: [], reset: [], key: [] };
  const { row, left, limit } = tightest;
  const status = limitTone(row, now);
  const tone = status === 'good' ? 'plain' : status;
  const reset = describeReset(row, now);
  return {
    left: [{ text: ' · ' }, { text: `${formatNumber(left)}/${formatNumber(limit)} left`, tone }],
    reset: reset === 'full' ? [] : [{ text: `, reset ${reset}`, tone }],
    key: [{ text: `, ${getKeyLabel(row)}`, tone }],
  };
}

/** What is wrong with the deliveries: `Warehouse failing, 2 failed, 3 retrying`, or `1 endpoint failing, …`. */
function listHealth(state: State, now: number, isNamed: boolean): Line {
  const { failing, disabled, endpoints } = getFigures(state, now);
  const counts = countServiceProblems(state.rows);
  const problems = describeProblems(counts);
  const failed = isNamed ? describeFailing(failing) : `${formatCount(failing.length, 'endpoint')} failing`;
  const parts: readonly Span[] = [
    ...(failing.length > 0 ? [{ text: failed, tone: 'bad', bold: true } as const] : []),
    ...(problems === '' ? [] : [{ text: problems, tone: counts.failed > 0 ? 'bad' : 'warn' } as const]),
    ...(disabled > 0 ? [{ text: `${formatCount(disabled, 'endpoint')} disabled`, tone: 'warn' } as const] : []),
  ];
  // Without problems so far.
  if (parts.length === 0 && !state.isComplete) return [{ text: 'reading…', tone: 'dim' }];
  const unread = describeUnavailable(state);
  if (parts.length === 0 && unread !== '') return [{ text: unread, tone: 'warn' }];
  if (parts.length === 0) return [{ text: `${formatCount(endpoints, 'endpoint')}, no problems`, tone: 'good' }];
  return parts.flatMap((part, at) => (at === 0 ? [part] : [{ text: ', ' }, part]));
}

/** `[1 Deliveries] 2 Limits …`: brackets mark the active tab without color. A narrow screen has short titles, or only digits. */
const makeBar =
  (gap: string, getText: (tab: Tab) => string) =>
  (active: Tab): Line =>
    TABS.flatMap((tab, index): Span[] => {
      const text = `${String(index)} ${tab === active ? getTable(tab).title : getText(tab)}`.trimEnd();
      return [{ text: index === 0 ? '' : gap }, tab === active ? { text: `[${text}]`, bold: true } : { text, tone: 'dim' }];
    });
const TAB_BARS = [makeBar('  ', (tab) => getTable(tab).title), makeBar(' ', (tab) => getTable(tab).short), makeBar('  ', () => '')];
