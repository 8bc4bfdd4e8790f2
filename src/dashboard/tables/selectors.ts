/** Selects what the screen shows: rows after pause and filters, the selected row, and the figures of the header. */
import { type RowQuery, parseRowQuery } from '../../client/row-query/row-query.ts';
import { sanitize } from '../../platform/terminal-text.ts';
import { formatNumber } from './format.ts';
import { listAttention } from './attention-list.ts';
import type { AnyRow, DeliveryRow, EndpointRow, LimitRow, Sorting, State, Tab } from '../state/model.ts';
import { type RenderContext, type Table, createRenderContext } from './table.ts';
import { getTable } from './index.ts';
import { getDeliveriesPerMinute } from './delivery-counts.ts';
import { isFailing } from './endpoints.ts';
import { getRemaining } from './limits.ts';

export interface VisibleList {
  readonly rows: readonly AnyRow[];
  /** Number of rows before filtering. */
  readonly total: number;
  /** Index of the selected row; -1 if there is none. */
  readonly selected: number;
  /** The newest row stays selected. */
  readonly following: boolean;
}

/** `not available: deliveries, endpoints`, or how many; empty if every tab can be read. */
export function describeUnavailable({ unavailable }: State): string {
  const tabs = Object.keys(unavailable);
  if (tabs.length > 2) return `${String(tabs.length)} tabs not available`;
  return tabs.length === 0 ? '' : `not available: ${tabs.join(', ')}`;
}

/** Whether the newest row is the last one, so that the list can follow it. */
export const canFollow = ({ ui }: State, tab: Tab): boolean => getTable(tab).isFollowable && ui.views[tab].sorting === null;

const COLLATOR = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Rows of equal value keep their order. */
function sortRows(rows: readonly AnyRow[], table: Table<AnyRow>, { by, isDescending }: Sorting, context: RenderContext): readonly AnyRow[] {
  const column = table.columns.find(({ title }) => title === by);
  if (!column) return rows;
  const keyed = rows.map((row) => ({ row, key: column.order ? column.order(row, context) : column.text(row, context, column.width) }));
  const direction = isDescending ? -1 : 1;
  return keyed.sort((a, b) => direction * compareKeys(a.key, b.key)).map(({ row }) => row);
}

function compareKeys(a: number | string | null, b: number | string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  return typeof a === 'number' && typeof b === 'number' ? a - b : COLLATOR.compare(String(a), String(b));
}

/** The lists of a state: several parts of a frame need them. */
const known = new WeakMap<State, { readonly now: number; readonly list: VisibleList }>();

export function selectList(state: State, now: number): VisibleList {
  const last = known.get(state);
  if (last?.now === now) return last.list;
  const list = findList(state, now);
  known.set(state, { now, list });
  return list;
}

const parseFilter = (tab: Tab, query: string, context: RenderContext): RowQuery<AnyRow> => {
  const table = getTable(tab);
  return parseRowQuery(query, {
    fields: table.queryFields(context),
    getText: (row) => table.search(row, context),
    now: () => context.serviceNow,
  });
};

/** Why a filter is invalid; null if it is valid. */
export const findFilterProblem = (state: State, tab: Tab, query: string): string | null =>
  parseFilter(tab, query, createRenderContext(state, 0)).problem;

/** What is wrong with the filter being typed; null if nothing. */
export const getTypedProblem = (state: State): string | null =>
  state.ui.filterInput === null ? null : findFilterProblem(state, state.ui.tab, state.ui.filterInput);

function findList(state: State, now: number): VisibleList {
  const { ui } = state;
  const { tab } = ui;
  const { selected: id, index, filter: applied, problemsOnly, sorting } = ui.views[tab];
  const all: readonly AnyRow[] = tab === 'overview' ? listAttention(state, now) : (ui.paused?.rows ?? state.rows)[tab];
  const table = getTable(tab);
  const context = createRenderContext(state, now);
  // While what is typed is invalid, the valid one stays applied.
  const filter = parseFilter(tab, ui.filterInput === null || getTypedProblem(state) !== null ? applied : ui.filterInput, context);
  const endpointId = tab === 'deliveries' ? ui.endpointId : null;
  const shown = all.filter(
    (row) =>
      (endpointId === null || (row as DeliveryRow).webhookId === endpointId) &&
      (!problemsOnly || table.isProblem?.(row, context) === true) &&
      filter.matches(row),
  );
  const rows = sorting === null ? shown : sortRows(shown, table, sorting, context);
  const last = rows.length - 1;
  const found = id === null ? -1 : rows.findLastIndex((row) => row.id === id);
  const selected = id === null ? (canFollow(state, tab) ? last : Math.min(0, last)) : found === -1 ? Math.min(index, last) : found;
  return { rows, total: all.length, selected, following: canFollow(state, tab) && id === null };
}

/** Whether `f` changes what is shown. */
export function canToggleProblems(state: State, { rows }: VisibleList, now: number): boolean {
  const { tab, views } = state.ui;
  const context = createRenderContext(state, now);
  return views[tab].problemsOnly || rows.some((row) => getTable(tab).isProblem?.(row, context) === true);
}

/** `Shop sync failing`, `Shop sync and 2 more failing`. */
export function describeFailing([first, ...others]: readonly EndpointRow[]): string {
  const name = sanitize(first?.name ?? '');
  return `${others.length === 0 ? name : `${name} and ${formatNumber(others.length)} more`} failing`;
}

export interface Figures {
  readonly deliveriesPerMinute: number;
  readonly failing: readonly EndpointRow[];
  /** Disabled by the service after failures, or by a user. */
  readonly disabled: number;
  readonly endpoints: number;
  /** The key with the smallest fraction remaining; null while no limit is known. */
  readonly tightest: { readonly row: LimitRow; readonly left: number; readonly limit: number } | null;
}

export function getFigures(state: State, now: number): Figures {
  const { rows } = state;
  let tightest: Figures['tightest'] = null;
  for (const row of rows.limits) {
    const left = getRemaining(row, now);
    if (left === null || row.limit === null) continue;
    if (tightest === null || left / row.limit < tightest.left / tightest.limit) tightest = { row, left, limit: row.limit };
  }
  return {
    deliveriesPerMinute: getDeliveriesPerMinute(state, now),
    failing: rows.endpoints.filter(isFailing),
    disabled: rows.endpoints.filter(({ status }) => status === 'disabled').length,
    endpoints: rows.endpoints.length,
    tightest,
  };
}
