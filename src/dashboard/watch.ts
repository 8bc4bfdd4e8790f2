/** The gauges of the dashboard in a few lines, without its screen: `usage --watch`. */
import { type Line, cell, cut, textOf } from './lines.ts';
import { gauge, sparkline } from './meter.ts';
import type { LimitRow, State } from './model.ts';
import { type Action, reduce } from './reduce.ts';
import type { Source } from './source.ts';
import { createStore } from './store.ts';
import { leftOf } from './tables.ts';
import { grouped, span } from './words.ts';

const TICK_MS = 1_000;
const GAUGE = 22;
/** A shorter one says nothing. */
const GAUGE_LEAST = 5;
/** Columns of a line beside the gauge: key, what is left, until when. */
const KNOWN = 17 + 1 + 1 + 16 + 2 + 10;

export interface WatchOptions {
  readonly source: Source;
  readonly initial: State;
  readonly signal: AbortSignal;
  /** Called with what is known, once a second and at each change of a limit. */
  show(state: State, changed: readonly LimitRow[]): void;
}

/** Until the signal; breaks are shown, not thrown. */
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
    await source.run((action: Action) => {
      store.set(reduce(store.get(), action));
      if (action.type === 'connected' || (action.type === 'news' && action.news.limits.length > 0)) draw();
    }, signal);
  } finally {
    clearInterval(timer);
  }
}

const sameWindow = (a: LimitRow, b: LimitRow): boolean => a.limit === b.limit && a.remaining === b.remaining && a.resetsAt === b.resetsAt;

/** One line for each key, after a head; in less than `height` lines, because what has left the screen cannot be drawn over: then the keys with the least left. */
export function watchLines(
  { about, connection, rows, refused }: State,
  now: number,
  { width, height }: { readonly width: number; readonly height: number },
): readonly string[] {
  const { name, slug } = about.tenant;
  const state =
    connection.state === 'lost' ? `! ${connection.reason ?? 'not connected'}` : about.local ? 'live' : (about.pace ?? 'polling');
  const head = [name ?? slug ?? about.url, state, ...(refused > 0 ? [`${grouped(refused)} refused (429)`] : [])].join(' · ');
  // The line of the cursor, the head, and what is said of those left out.
  const room = Math.max(1, height - 2);
  const isCut = rows.limits.length > room;
  const shown = isCut ? tightest(rows.limits, now, Math.max(1, room - 1)) : rows.limits;
  const gaugeWidth = Math.min(GAUGE, width - KNOWN);
  const lines = shown.map((row): Line => {
    const [left, limit] = [leftOf(row, now), row.limit ?? 0];
    const isOpen = row.resetsAt !== null && row.resetsAt > now && row.remaining !== null;
    const reset = isOpen ? `reset ${span((row.resetsAt ?? now) - now + 999)}` : 'full';
    const drawn = gaugeWidth < GAUGE_LEAST ? '' : `${gauge(limit - (left ?? limit), limit, gaugeWidth)} `;
    const known = `${cell(row.prefix, 17)} ${drawn}${cell(`${grouped(left ?? 0)}/${grouped(limit)} left`, 16, true)}  ${cell(reset, 10)}`;
    return [{ text: known }, { text: sparkline(row.meter, now, Math.max(0, width - known.length - 1)) }];
  });
  const others = isCut ? [`${grouped(rows.limits.length - shown.length)} more keys, with more left`] : [];
  return [head, ...lines.map(textOf), ...others].map((text) => textOf(cut([{ text }], width)));
}

/** The keys with the smallest part of their limit left, in the order in which they stand. */
function tightest(rows: readonly LimitRow[], now: number, count: number): readonly LimitRow[] {
  const share = (row: LimitRow): number => (leftOf(row, now) ?? Infinity) / (row.limit ?? 1);
  const chosen = new Set(rows.toSorted((a, b) => share(a) - share(b)).slice(0, count));
  return rows.filter((row) => chosen.has(row));
}
