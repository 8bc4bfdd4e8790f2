/** What the reader sees of what is known: rows after pause, filter and `f`, the selected one, and the figures of the header. */
import { filterOf } from './filter.ts';
import { perMinute } from './meter.ts';
import type { AnyRow, LimitRow, State, Tab } from './model.ts';
import { isFailing, leftOf, momentOf, tableOf } from './tables.ts';

export interface Listed {
  readonly rows: readonly AnyRow[];
  /** Before the filter. */
  readonly total: number;
  /** Position of the selected row; -1 when there is none. */
  readonly selected: number;
  /** New rows come into sight by themselves. */
  readonly following: boolean;
  readonly problem: string | null;
}

export function listed(state: State, now: number, tab: Tab = state.ui.tab): Listed {
  const { ui } = state;
  const all: readonly AnyRow[] = (ui.paused?.rows ?? state.rows)[tab];
  const table = tableOf(tab);
  const moment = momentOf(state, now);
  const filter = filterOf(ui.draft !== null && tab === ui.tab ? ui.draft : ui.filters[tab]);
  const filtered = filter.text !== '' && filter.problem === null;
  const rows =
    filtered || ui.failedOnly
      ? all.filter((row) => (!ui.failedOnly || table.failed(row)) && (!filtered || filter.matches(table.search(row, moment))))
      : all;
  const { selected: id, index } = ui.places[tab];
  const last = rows.length - 1;
  const found = id === null ? -1 : rows.findLastIndex((row) => row.id === id);
  const selected = id === null ? (table.tail ? last : Math.min(0, last)) : found === -1 ? Math.min(index, last) : found;
  return { rows, total: all.length, selected, following: table.tail && id === null, problem: filter.problem };
}

export interface Figures {
  readonly deliveriesPerMinute: number;
  readonly failing: number;
  /** By the service after failures, or by somebody. */
  readonly disabled: number;
  readonly endpoints: number;
  /** The key with the least left; null while no limit is known. */
  readonly tightest: { readonly row: LimitRow; readonly left: number; readonly limit: number } | null;
}

export function figuresOf({ rows, delivered }: State, now: number): Figures {
  let tightest: Figures['tightest'] = null;
  for (const row of rows.limits) {
    const left = leftOf(row, now);
    if (left === null || row.limit === null) continue;
    if (tightest === null || left / row.limit < tightest.left / tightest.limit) tightest = { row, left, limit: row.limit };
  }
  return {
    deliveriesPerMinute: perMinute(delivered, now),
    failing: rows.endpoints.filter(isFailing).length,
    disabled: rows.endpoints.filter(({ status }) => status === 'disabled').length,
    endpoints: rows.endpoints.length,
    tightest,
  };
}
