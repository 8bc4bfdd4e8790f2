/** The overview: what needs attention, then deliveries, requests, endpoints and limits; from 150 columns on in two columns. */
import { Box } from 'ink';
import { Fragment, type JSX } from 'react';
import { SLOTS, getBars, renderSparkline } from '../state/meter.ts';
import type { DataTab, LimitRow, State } from '../state/model.ts';
import { describeProblems } from '../tables/deliveries.ts';
import { countDeliveries } from '../tables/delivery-counts.ts';
import { endpointColumns, summarizeEndpoints } from '../tables/endpoint-summary.ts';
import { formatCount, formatNumber } from '../tables/format.ts';
import { getTable } from '../tables/index.ts';
import { describeReset, drawGauge, getKeyLabel, getRemaining, limitTone } from '../tables/limits.ts';
import { listRequestMeters } from '../tables/request-meters.ts';
import { describeUnavailable, selectList } from '../tables/selectors.ts';
import { type Column, type RenderContext, type Span, createRenderContext, dimColumn } from '../tables/table.ts';
import { getFirstVisible } from './columns.ts';
import { Table } from './table.tsx';
import { Spans, T } from './text.tsx';

/** From this width on, there is room for lists beside the charts. */
const TWO_COLUMNS = 150;
const GUTTER = 3;
/** The share of the lines for sentences, which have priority over lists below. */
const ATTENTION_SHARE = 0.3;
/** Most lines of lists, so that all sections are seen. */
const LIST_SHARE = 0.25;
const INDENT = 2;
const LABEL_WIDTH = 5;
/** A bar for each minute of an hour, and a label. */
const CHART_WIDTH = INDENT + SLOTS + LABEL_WIDTH;

interface SectionProps {
  readonly state: State;
  readonly context: RenderContext;
  readonly width: number;
  readonly height: number;
}

export function Overview({ state, now, width, height }: Omit<SectionProps, 'context'> & { readonly now: number }): JSX.Element {
  const context = createRenderContext(state, now);
  const isWide = width >= TWO_COLUMNS;
  const sentences = selectList(state, now).rows.length;
  const attention = sentences === 0 ? 1 : 1 + Math.max(1, Math.min(sentences, Math.floor(height * ATTENTION_SHARE)));
  const below = height - attention - 1;
  const listHeight = Math.max(3, Math.floor(isWide ? below / 2 : below * LIST_SHARE));
  const chart = { state, context, width: Math.min(width, CHART_WIDTH), height: 3 };
  const list = { state, context, width: isWide ? width - GUTTER - CHART_WIDTH : width, height: listHeight };
  const [deliveries, endpoints] = [<Deliveries key="deliveries" {...chart} />, <Endpoints key="endpoints" {...list} />];
  const [requests, limits] = [<Requests key="requests" {...chart} />, <Limits key="limits" {...list} />];
  return (
    <Box flexDirection="column" height={height} overflow="hidden">
      <Attention {...{ state, context, width }} height={attention} />
      <Box height={1} flexShrink={0} />
      <Box columnGap={GUTTER} height={below}>
        <Sections width={list.width}>{isWide ? [endpoints, limits] : [deliveries, endpoints, requests, limits]}</Sections>
        {isWide ? <Sections width={CHART_WIDTH}>{[deliveries, requests]}</Sections> : null}
      </Box>
    </Box>
  );
}

/** Below each other, with empty lines between them as far as there is room. */
const Sections = ({ width, children }: { readonly width: number; readonly children: readonly JSX.Element[] }): JSX.Element => (
  <Box flexDirection="column" width={width} flexShrink={0}>
    {children.map((section, at) => (
      <Fragment key={section.key}>
        {at === 0 ? null : <Box height={1} />}
        <Box flexDirection="column" flexShrink={0}>
          {section}
        </Box>
      </Fragment>
    ))}
  </Box>
);

/** Sentences with the selected one, below a title; one line if there are none. */
function Attention({ state, context, width, height }: SectionProps): JSX.Element {
  const { rows, total, selected } = selectList(state, context.now);
  const table = getTable('overview');
  if (total === 0) {
    const isKnown = state.isComplete && state.connection.state === 'live';
    if (!isKnown) return <T tone="dim">{'  Reading…'}</T>;
    const unread = describeUnavailable(state);
    if (unread !== '') return <T tone="warn">{`  Nothing known needs attention; ${unread}`}</T>;
    const text = `: ${table.emptyText.charAt(0).toLowerCase()}${table.emptyText.slice(1)}`;
    return (
      <Spans
        spans={[
          { text: '  All is well', tone: 'good', bold: true },
          { text, tone: 'good' },
        ]}
      />
    );
  }
  const start = getFirstVisible(selected, rows.length, height - 1);
  const shown = rows.slice(start, start + height - 1);
  const more = rows.length - shown.length;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Title
        name="Needs attention"
        rest={[{ text: `  enter shows it${more === 0 ? '' : `; ${String(more)} more with j`}`, tone: 'dim' }]}
      />
      <Table
        columns={table.columns}
        rows={shown}
        width={width}
        context={context}
        hasTitles={false}
        isSelected={(row) => row === rows[selected]}
      />
    </Box>
  );
}

const Title = ({ name, rest = [] }: { readonly name: string; readonly rest?: readonly Span[] }): JSX.Element => (
  <Spans spans={[{ text: `  ${name}`, bold: true }, ...rest]} />
);

const Nothing = ({ name, text }: { readonly name: string; readonly text: string }): JSX.Element => (
  <>
    <Title name={name} />
    <T tone="dim">{`  ${text}`}</T>
  </>
);

const explainNothing = ({ unavailable }: State, tab: DataTab, text: string): string => {
  const reason = unavailable[tab];
  return reason === undefined ? text : `not available: ${reason}`;
};

/** Deliveries by the minute of their latest attempt. Minutes with one that failed are red, and marked in the line below, which is readable without colors. */
function Deliveries({ state, context: { now }, width }: SectionProps): JSX.Element {
  if (state.rows.deliveries.length === 0) return <Nothing name="Deliveries" text={explainNothing(state, 'deliveries', 'none yet')} />;
  const { attempted, problems, counts, text } = countDeliveries(state, now);
  const room = width - INDENT - LABEL_WIDTH;
  const bars = getBars(problems, now, room);
  const chart = Array.from(renderSparkline(attempted, now, room), (bar, at): Span => ({
    text: bar,
    tone: (bars[at] ?? 0) > 0 ? 'bad' : 'good',
  }));
  const failures = describeProblems(counts);
  return (
    <>
      <Title name="Deliveries" rest={[{ text: `  ${text}` }, { text: failures === '' ? '' : `, ${failures}`, tone: 'bad' }]} />
      <Spans spans={[{ text: '  ' }, ...chart]} />
      {failures === '' ? null : <T tone="bad">{`  ${bars.map((count) => (count > 0 ? 'x' : ' ')).join('')}`}</T>}
    </>
  );
}

/** Requests by minute, and those that failed. */
function Requests({ state, context: { now }, width }: SectionProps): JSX.Element {
  const meters = listRequestMeters(state, now);
  const [all, ...failed] = meters;
  const none = state.about.isLocal ? 'none in the last hour' : 'available only on the machine that runs the daemon';
  if (all === undefined) return <Nothing name="Requests" text={none} />;
  const failures = failed.map(({ label, count, tone }): Span => ({ text: `, ${formatNumber(count)} with ${label}`, tone }));
  return (
    <>
      <Title name="Requests" rest={[{ text: `  ${formatNumber(all.count)} in the last hour` }, ...failures]} />
      {meters.map(({ label, meter, tone }) => (
        <Spans
          key={label}
          spans={[
            { text: `  ${renderSparkline(meter, now, width - INDENT - LABEL_WIDTH)}`, tone },
            { text: label.padStart(LABEL_WIDTH), tone: 'dim' },
          ]}
        />
      ))}
    </>
  );
}

function Endpoints({ state, context, width, height }: SectionProps): JSX.Element {
  const all = summarizeEndpoints(state);
  if (all.length === 0) {
    return <Nothing name="Endpoints" text={explainNothing(state, 'endpoints', 'none; stockroom webhooks create makes one')} />;
  }
  const shown = all.slice(0, getShownCount(all.length, height - 1));
  return (
    <>
      <Table columns={endpointColumns} rows={shown} width={width} context={context} />
      <Rest count={all.length - shown.length} what="endpoint" tab={3} />
    </>
  );
}

const limitColumns: readonly Column<LimitRow>[] = [
  { title: 'KEY', width: 16, rank: 1, text: getKeyLabel },
  {
    title: 'USED',
    width: 22,
    rank: 1,
    text: (row, { now }, width) => drawGauge(row, now, width),
    tone: (row, { now }) => limitTone(row, now),
  },
  {
    title: 'LEFT',
    width: 15,
    rank: 1,
    right: true,
    text: (row, { now }) =>
      row.limit === null ? '?' : `${formatNumber(getRemaining(row, now) ?? row.limit)}/${formatNumber(row.limit)} left`,
    tone: (row, { now }) => limitTone(row, now),
  },
  dimColumn('RESET', { width: 5, rank: 1 }, (row, { now }) => describeReset(row, now)),
  dimColumn('PREFIX', { width: 16, rank: 2 }, ({ prefix }) => prefix),
];

/** The keys with the least left, as gauges. */
function Limits({ state, context, width, height }: SectionProps): JSX.Element {
  const getShare = (row: LimitRow): number => (row.limit === null ? 1 : (getRemaining(row, context.now) ?? row.limit) / row.limit);
  const all = state.rows.limits.toSorted((a, b) => getShare(a) - getShare(b));
  if (all.length === 0) return <Nothing name="Limits" text={explainNothing(state, 'limits', 'no key has been used yet')} />;
  const shown = all.slice(0, getShownCount(all.length, height - 1));
  return (
    <>
      <Title name="Limits" rest={[{ text: '  requests used of each key', tone: 'dim' }]} />
      <Table columns={limitColumns} rows={shown} width={width} context={context} hasTitles={false} />
      <Rest count={all.length - shown.length} what="key" tab={2} />
    </>
  );
}

/** If not all fit, one line says how many more there are. */
const getShownCount = (count: number, height: number): number => (count <= height ? count : Math.max(1, height - 1));

const Rest = ({ count, what, tab }: { readonly count: number; readonly what: string; readonly tab: number }): JSX.Element | null =>
  count === 0 ? null : <T tone="dim">{`  ${formatCount(count, `more ${what}`)}; press ${String(tab)} to see all`}</T>;
