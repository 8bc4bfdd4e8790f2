/** The sections of the overview. Each fits a width and a number of lines. */
import { sanitize } from '../../../platform/terminal-text.ts';
import { SLOTS, type Meter, addToMeter, getBars, getTotal, renderGauge, renderSparkline } from '../../state/meter.ts';
import type { LimitRow, State } from '../../state/model.ts';
import { formatCount, formatInterval, formatNumber } from '../format.ts';
import { type Line, type Span, plain, toCell } from '../lines.ts';
import { layOutRows, renderRow, renderTitles } from '../table-lines.ts';
import { type RenderContext, type Tone, createRenderContext } from '../table-types.ts';
import { getRemaining, limitTone } from '../tables/limits.ts';
import { endpointColumns, summarizeEndpoints } from './endpoint-summary.ts';

const INDENT = '  ';
const LABEL_WIDTH = 5;
/** A bar for each minute of an hour, and a label. */
export const CHART_WIDTH = INDENT.length + SLOTS + LABEL_WIDTH;
const NOT_SELECTED = { isSelected: false, isMarked: false };

const title = (name: string, rest: readonly Span[] = []): Line => [{ text: `${INDENT}${name}`, bold: true }, ...rest];

/** Attempts by minute. Minutes with a failure are red, and marked in the line below, which is readable without colors. */
export function renderDeliveries({ hour, rows }: State, now: number, width: number): readonly Line[] {
  const [attempts, failed] = [getTotal(hour.attempts, now), getTotal(hour.failedAttempts, now)];
  const figures: Span[] = [
    { text: `  ${formatCount(attempts, 'attempt')} in the last hour` },
    ...(failed === 0 ? [] : [{ text: `, ${formatNumber(failed)} failed`, tone: 'bad' } as const]),
  ];
  const room = width - INDENT.length - LABEL_WIDTH;
  const bars = getBars(hour.failedAttempts, now, room);
  const chart = Array.from(renderSparkline(hour.attempts, now, room));
  const marks = bars.map((count) => (count > 0 ? 'x' : ' ')).join('');
  if (attempts === 0 && rows.deliveries.length === 0) return [title('Deliveries'), plain(`${INDENT}none yet`, 'dim')];
  return [
    title('Deliveries', figures),
    [{ text: INDENT }, ...mergeSpans(chart.map((text, at) => ({ text, tone: (bars[at] ?? 0) > 0 ? 'bad' : 'good' })))],
    ...(failed === 0 ? [] : [plain(`${INDENT}${marks.trimEnd()}`, 'bad')]),
  ];
}

/** Neighbors of the same tone as one span: fewer escapes. */
function mergeSpans(spans: readonly { readonly text: string; readonly tone: Tone }[]): readonly Span[] {
  const merged: { text: string; tone: Tone }[] = [];
  for (const { text, tone } of spans) {
    const last = merged.at(-1);
    if (last?.tone === tone) last.text += text;
    else merged.push({ text, tone });
  }
  return merged;
}

/** Requests by minute, and those that failed. */
export function renderRequests({ hour, rows }: State, now: number, width: number): readonly Line[] {
  const all = sumMeters(
    rows.limits.map((row) => row.hour),
    now,
  );
  const total = all === undefined ? 0 : getTotal(all, now);
  if (all === undefined || total === 0) return [title('Requests'), plain(`${INDENT}none in the last hour`, 'dim')];
  const failures = [
    { label: '4xx', meter: hour.clientErrors, tone: 'warn' },
    { label: '5xx', meter: hour.serverErrors, tone: 'bad' },
  ] as const;
  const shown = failures.map((each) => ({ ...each, count: getTotal(each.meter, now) })).filter(({ count }) => count > 0);
  const chart = (label: string, meter: Meter, tone: Tone): Line => [
    { text: `${INDENT}${renderSparkline(meter, now, width - INDENT.length - LABEL_WIDTH)}`, tone },
    { text: label.padStart(LABEL_WIDTH), tone: 'dim' },
  ];
  return [
    title('Requests', [
      { text: `  ${formatNumber(total)} in the last hour` },
      ...shown.map(({ label, count, tone }) => ({ text: `, ${formatNumber(count)} with ${label}`, tone })),
    ]),
    chart('all', all, 'plain'),
    ...shown.map(({ label, meter, tone }) => chart(label, meter, tone)),
  ];
}

const sumMeters = (meters: readonly Meter[], now: number): Meter | undefined =>
  meters
    .map((meter) => addToMeter(meter, now, 0))
    .reduce<Meter | undefined>(
      (sum, meter) => (sum === undefined ? meter : { ...meter, slots: meter.slots.map((count, at) => count + (sum.slots[at] ?? 0)) }),
      undefined,
    );

export function renderEndpoints(state: State, now: number, width: number, height: number): readonly Line[] {
  const context = createRenderContext(state, now);
  const all = summarizeEndpoints(state);
  if (all.length === 0) return [title('Endpoints'), plain(`${INDENT}none; stockroom webhooks create makes one`, 'dim')];
  const shown = all.slice(0, getShownCount(all.length, height - 1));
  const layout = layOutRows(endpointColumns, shown, width, context);
  const lines = shown.map((row) => renderRow(row, layout, context, { ...NOT_SELECTED, width }));
  return [renderTitles(layout, null, context), ...lines, ...renderRest(all.length - shown.length, 'endpoint', 3)];
}

/** The keys with the least left, as gauges. */
export function renderLimits({ rows }: State, { now }: RenderContext, width: number, height: number): readonly Line[] {
  const getShare = (row: LimitRow): number => (row.limit === null ? 1 : (getRemaining(row, now) ?? row.limit) / row.limit);
  const all = rows.limits.toSorted((a, b) => getShare(a) - getShare(b));
  if (all.length === 0) return [title('Limits'), plain(`${INDENT}no key has been used yet`, 'dim')];
  const shown = all.slice(0, getShownCount(all.length, height - 1));
  const lines = shown.map((row) => renderLimit(row, now, width));
  return [
    title('Limits', [{ text: '  requests used of each key', tone: 'dim' }]),
    ...lines,
    ...renderRest(all.length - shown.length, 'key', 2),
  ];
}

const GAUGE_WIDTH = 22;
const KEY_WIDTH = 16;
const LEFT_WIDTH = 15;

function renderLimit(row: LimitRow, now: number, width: number): Line {
  const left = getRemaining(row, now);
  const limit = row.limit ?? 0;
  const tone = limitTone(row, now);
  const gauge = renderGauge(limit - (left ?? limit), limit, GAUGE_WIDTH);
  const count = row.limit === null ? '?' : `${formatNumber(left ?? limit)}/${formatNumber(limit)} left`;
  const reset = row.remaining === null || row.resetsAt === null || row.resetsAt <= now ? 'full' : formatInterval(row.resetsAt - now + 999);
  const name = width >= KEY_WIDTH + GAUGE_WIDTH + LEFT_WIDTH + 24 ? `  ${sanitize(row.name ?? '')}` : '';
  return [
    { text: `${INDENT}${toCell(row.prefix, KEY_WIDTH)} ` },
    { text: gauge, tone },
    { text: ` ${toCell(count, LEFT_WIDTH, true)}`, tone },
    { text: ` ${toCell(reset, 5)}${name}`, tone: 'dim' },
  ];
}

/** If not all fit, one line says how many more there are. */
const getShownCount = (count: number, height: number): number => (count <= height ? count : Math.max(1, height - 1));

const renderRest = (count: number, what: string, tab: number): readonly Line[] =>
  count === 0 ? [] : [plain(`${INDENT}${formatCount(count, `more ${what}`)}: ${String(tab)}`, 'dim')];
