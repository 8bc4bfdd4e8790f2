/** Renders the rows of a tab, and what belongs to the selected one or to all of them below. */
import { wrapText } from '../../cli/output/text-width.ts';
import { sanitize } from '../../platform/terminal-text.ts';
import type { State, ItemRow } from '../state/model.ts';
import { NO_COMMAND } from './detail.ts';
import { formatNumber } from './format.ts';
import { getFirstVisible } from './layout.ts';
import { type Line, plain, truncateLine } from './lines.ts';
import { type VisibleList, selectList } from './selectors.ts';
import { SELECTION_MARK, layOutRows, renderRow, renderTitles } from './table-lines.ts';
import { createRenderContext } from './table-types.ts';
import { getTable } from './tables.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** From this width on, a list and the details of a row have room beside each other. */
export const SPLIT_COLUMNS = 120;
const CAPABILITY_LINES = 4;
const COMMAND_LINES = 4;

/** Lines below the list: requests by capability, or the command for the selected item. */
export function countFooterLines({ ui }: State, { columns, rows }: Size): number {
  if (ui.tab === 'limits') return CAPABILITY_LINES + (rows > 30 ? CAPABILITY_LINES : 0);
  // The details beside the list have the command.
  return ui.tab === 'items' && !(ui.isSplit && columns >= SPLIT_COLUMNS) ? COMMAND_LINES : 0;
}

/** The titles, `height` rows and the lines below them. */
export function renderList(state: State, now: number, width: number, height: number, footerLines: number): readonly Line[] {
  const { tab } = state.ui;
  const table = getTable(tab);
  const list = selectList(state, now);
  const context = createRenderContext(state, now);
  const start = getFirstVisible(list.selected, list.rows.length, height);
  const visible = list.rows.slice(start, start + height);
  const layout = layOutRows(table.columns, visible, width, context);
  const rows = visible.map((row, index) =>
    renderRow(row, layout, context, { isSelected: start + index === list.selected, isMarked: state.ui.marked.has(row.id), width }),
  );
  const empty = list.rows.length > 0 ? [] : renderEmptyList(state, list, width);
  const lines: Line[] = [renderTitles(layout, state.ui.sortings[tab], context), ...rows, ...empty].slice(0, height + 1);
  while (lines.length < height + 1) lines.push([]);
  return [...lines, ...renderFooter(state, list, width, footerLines)].map((line) => truncateLine(line, width));
}

function renderEmptyList(state: State, { total }: VisibleList, width: number): readonly Line[] {
  const { tab } = state.ui;
  const { local } = state.about;
  const isFiltered = state.ui.filters[tab] !== '' || state.ui.filterInput !== null;
  const why =
    total > 0 && state.ui.problemsOnly[tab] && !isFiltered
      ? `No problems (0 of ${formatNumber(total)}). Esc shows all rows.`
      : total > 0
        ? `No matches (0 of ${formatNumber(total)}). Esc clears the filter.`
        : tab === 'requests' && !local
          ? 'Requests are available only on the machine that runs the daemon.'
          : state.connection.state === 'connecting'
            ? 'Connecting…'
            : getTable(tab).emptyText;
  return wrapText(why, width - SELECTION_MARK.length).map((line) => plain(`  ${line}`));
}

function renderFooter(state: State, { rows, selected }: VisibleList, width: number, height: number): readonly Line[] {
  if (height === 0) return [];
  if (state.ui.tab === 'limits') return renderCapabilities(state, width, height);
  return renderCommand(rows[selected] as ItemRow | undefined, width, height);
}

/** The command that replenishes the selected item, whole. */
function renderCommand(row: ItemRow | undefined, width: number, height: number): readonly Line[] {
  const indent = SELECTION_MARK.length;
  const text = row === undefined ? [] : wrapText(sanitize(row.command ?? NO_COMMAND), width - indent);
  const head: Line =
    row === undefined
      ? []
      : [
          { text: `  Reorder ${sanitize(row.sku ?? row.name)}`, bold: true },
          { text: '  y copies the command', tone: 'dim' },
        ];
  const lines = [head, ...text.slice(0, height - 1).map((line) => plain(`  ${line}`, row?.command === null ? 'dim' : undefined))];
  while (lines.length < height) lines.push([]);
  return lines;
}

/** The lines that there is room for; the last one says if there are more. */
const markCut = (lines: readonly string[], height: number): readonly Line[] =>
  lines.slice(0, height).map((line, at) => plain(`  ${at === height - 1 && lines.length > height ? line.replace(/ ·$/u, ' …') : line}`));

function renderCapabilities({ capabilities }: State, width: number, height: number): readonly Line[] {
  const sorted = capabilities.rows.toSorted((a, b) => b.count - a.count || (a.capability < b.capability ? -1 : 1));
  const text = sorted.map(({ capability, count }) => `${capability} ${formatNumber(count)}`).join(' · ');
  const lines = wrapText(text === '' ? 'none yet' : text, width - SELECTION_MARK.length);
  const head: Line = [
    { text: '  Requests by capability', bold: true },
    { text: `, ${capabilities.since}`, tone: 'dim' },
  ];
  const shown = [head, ...markCut(lines, height - 1)];
  while (shown.length < height) shown.push([]);
  return shown;
}
