/** `usage --watch`: the rate limits in a few lines. */
import { pad, truncate, truncateCell } from '../cli/output/text-width.ts';
import { sanitize } from '../platform/terminal-text.ts';
import { SLOTS, renderSparkline } from './state/meter.ts';
import type { LimitRow, State } from './state/model.ts';
import type { Source } from './sources/source.ts';
import { createStore } from './state/store.ts';
import { formatCount, formatNumber } from './tables/format.ts';
import { countAllRejected, describeReset, drawGauge, getRemaining } from './tables/limits.ts';
import { listRequestMeters } from './tables/request-meters.ts';

const TICK_MS = 1_000;
const GAUGE_WIDTH = 22;
/** Narrower gauges are left out. */
const GAUGE_MIN_WIDTH = 5;
/** Columns of a line besides the gauge: key, remaining, reset. */
const TEXT_WIDTH = 17 + 1 + 1 + 16 + 2 + 10;

export interface WatchOptions {
  readonly source: Source;
  readonly initial: State;
  readonly signal: AbortSignal;
  /** Called once a second and when a limit changes. */
  show(state: State, changed: readonly LimitRow[]): void;
}

/** Runs until the signal aborts; lost connections are shown, not thrown. */
export async function watchLimits({ source, initial, signal, show }: WatchOptions): Promise<void> {
  const store = createStore(initial);
  let before: readonly LimitRow[] = [];
  const draw = (): void => {
    const { limits } = store.get().rows;
    const known = before;
    before = limits;
    show(
      store.get(),
      limits.filter((row) => row.limit !== null && !known.some((one) => one.id === row.id && sameWindow(one, row))),
    );
  };
  const timer = setInterval(draw, TICK_MS);
  try {
    await source.run((action) => {
      store.dispatch(action);
      if (action.type === 'connected' || (action.type === 'updates' && (action.updates.limits?.length ?? 0) > 0)) draw();
    }, signal);
  } finally {
    clearInterval(timer);
  }
}

const sameWindow = (a: LimitRow, b: LimitRow): boolean => a.limit === b.limit && a.remaining === b.remaining && a.resetsAt === b.resetsAt;

/** A heading, one line per key and the requests of the last hour, in fewer than `height` lines, because lines that scrolled off cannot be redrawn: then the keys with the least remaining. */
export function renderLimits(
  state: State,
  now: number,
  { width, height }: { readonly width: number; readonly height: number },
): readonly string[] {
  const { about, connection, rows } = state;
  const rejected = countAllRejected(state, now);
  const { name, slug } = about.tenant;
  const condition = connection.state === 'lost' ? `! ${connection.reason}` : about.isLocal ? 'live' : (about.polling ?? 'polling');
  const head = [
    name ?? slug ?? about.url,
    condition,
    'requests of the last hour by minute',
    ...(rejected > 0 ? [`${formatNumber(rejected)} rejected (429)`] : []),
  ].join(' · ');
  // Without the cursor's line and the heading.
  const room = Math.max(1, height - 2);
  const isCut = rows.limits.length > room;
  const shown = isCut ? findTightest(rows.limits, now, Math.max(1, room - 1)) : rows.limits;
  const gaugeWidth = Math.min(GAUGE_WIDTH, width - TEXT_WIDTH);
  const lines = shown.map((row) => {
    const [left, reset] = [getRemaining(row, now), describeReset(row, now)];
    const gauge = gaugeWidth < GAUGE_MIN_WIDTH ? '' : `${drawGauge(row, now, gaugeWidth)} `;
    const count = `${formatNumber(left ?? 0)}/${formatNumber(row.limit ?? 0)} left`;
    const text = `${toCell(row.prefix, 17)} ${gauge}${toCell(count, 16, true)}  ${toCell(reset === 'full' ? reset : `reset ${reset}`, 10)}`;
    return `${text} ${renderSparkline(row.hour, now, Math.max(0, width - text.length - 1))}`;
  });
  const others = isCut ? [`${formatCount(rows.limits.length - shown.length, 'more key')} with more remaining`] : [];
  const chart = width < CHART_WIDTH ? [] : drawRequests(state, now);
  const below = lines.length + others.length + 1 + chart.length <= room && chart.length > 0 ? ['', ...chart] : [];
  return [head, ...lines, ...others, ...below].map((text) => truncate(sanitize(text), width));
}

const toCell = (text: string, width: number, isRight = false): string => pad(truncateCell(sanitize(text), width), width, isRight);

const LABEL_WIDTH = 5;
const CHART_WIDTH = 2 + SLOTS + LABEL_WIDTH;

/** As in the overview of the dashboard. */
function drawRequests(state: State, now: number): readonly string[] {
  const meters = listRequestMeters(state, now);
  const [all, ...failed] = meters;
  if (all === undefined) return [];
  const failures = failed.map(({ label, count }) => `, ${formatNumber(count)} with ${label}`).join('');
  const title = `  Requests  ${formatNumber(all.count)} in the last hour${failures}`;
  return [title, ...meters.map(({ label, meter }) => `  ${renderSparkline(meter, now)}${label.padStart(LABEL_WIDTH)}`)];
}

/** The keys with the smallest fraction of their limit remaining, in their original order. */
function findTightest(rows: readonly LimitRow[], now: number, count: number): readonly LimitRow[] {
  const share = (row: LimitRow): number => (getRemaining(row, now) ?? Infinity) / (row.limit ?? 1);
  const chosen = new Set(rows.toSorted((a, b) => share(a) - share(b)).slice(0, count));
  return rows.filter((row) => chosen.has(row));
}
