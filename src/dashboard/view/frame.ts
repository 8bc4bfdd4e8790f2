/** Renders the state to a frame: exactly as many lines as the screen has rows, none wider than its columns. Pure. */
import { NO_COMMAND, renderDetail, getTitle } from './detail.ts';
import { renderHeader, renderTabs } from './header.ts';
import { HELP } from './key-bindings.ts';
import { GAP, layoutColumns, getFirstVisible } from './layout.ts';
import { type Line, type Span, toCell, truncateLine, justify, measureLine, plain } from './lines.ts';
import type { AnyRow, DeliveryRow, Overlay, State, StockRow, Tab } from '../state/model.ts';
import { type VisibleList, describeProblems, selectList } from './selectors.ts';
import { createRenderContext, getTable } from './tables.ts';
import { wrapText } from '../../cli/output/text-width.ts';
import { sanitize } from '../../platform/terminal-text.ts';
import { formatCount, formatNumber } from './format.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export const MIN_SIZE: Size = { columns: 60, rows: 15 };
/** The column titles and the status line. */
const LIST_FRAME_LINES = 2;
/** Title and status line of an overlay. */
const OVERLAY_FRAME_LINES = 2;
const CAPABILITY_LINES = 4;
const COMMAND_LINES = 4;
const SELECTION_MARK = '> ';

/** What `handleKey` needs to know about the frame: the number of visible rows, and of lines in an open overlay. */
export function getViewport(state: State, now: number, size: Size): { now: number; height: number; lines: number } {
  const { overlay } = state.ui;
  const above = renderHeader(state, now, size.columns).length + 1;
  if (overlay?.kind === 'help' || overlay?.kind === 'detail') {
    return {
      now,
      height: Math.max(1, size.rows - above - OVERLAY_FRAME_LINES),
      lines: renderOverlayText(state, overlay, now, size.columns).length,
    };
  }
  return { now, height: Math.max(1, size.rows - above - LIST_FRAME_LINES - countFooterLines(state, size.rows)), lines: 0 };
}

/** Lines below the list: requests by capability, or the command for the selected item. */
function countFooterLines({ ui }: State, rows: number): number {
  if (ui.tab === 'limits') return CAPABILITY_LINES + (rows > 30 ? CAPABILITY_LINES : 0);
  return ui.tab === 'stock' ? COMMAND_LINES : 0;
}

export function renderFrame(state: State, now: number, size: Size): readonly Line[] {
  const { columns, rows } = size;
  if (columns < MIN_SIZE.columns || rows < MIN_SIZE.rows) {
    const text = `The dashboard needs ${String(MIN_SIZE.columns)}x${String(MIN_SIZE.rows)}; this terminal has ${String(columns)}x${String(rows)}. Press q to quit.`;
    return wrapText(text, columns)
      .slice(0, rows)
      .map((line) => truncateLine(plain(line), columns));
  }
  const head = [...renderHeader(state, now, columns), renderTabs(state, columns)];
  const { overlay } = state.ui;
  const body =
    overlay?.kind === 'help' || overlay?.kind === 'detail' ? renderOverlay(state, overlay, now, size) : renderList(state, now, size);
  const filled = [...head, ...body].slice(0, rows - 1);
  while (filled.length < rows - 1) filled.push([]);
  return [...filled, truncateLine(renderStatusLine(state, now, columns), columns)];
}

function renderList(state: State, now: number, size: Size): readonly Line[] {
  const { tab } = state.ui;
  const { columns: width } = size;
  const table = getTable(tab);
  const list = selectList(state, now);
  const { height } = getViewport(state, now, size);
  const layout = layoutColumns(table.columns, width - SELECTION_MARK.length);
  const titles = layout.map(({ column, width: w }) => toCell(column.title, w, column.right)).join(' '.repeat(GAP));
  const context = createRenderContext(state, now);
  const start = getFirstVisible(list.selected, list.rows.length, height);
  const rows = list.rows.slice(start, start + height).map((row, index): Line => {
    const isSelected = start + index === list.selected;
    const cells = layout.flatMap(({ column, width: w }, place): Span[] => {
      const text = (place === 0 ? '' : ' '.repeat(GAP)) + toCell(column.text(row, context, w), w, column.right);
      const tone = column.tone?.(row, context);
      return [{ text, ...(tone === undefined ? {} : { tone }), ...(isSelected ? { bold: true } : {}) }];
    });
    return [{ text: isSelected ? SELECTION_MARK : '  ', ...(isSelected ? { bold: true } : {}) }, ...cells];
  });
  const empty = list.rows.length > 0 ? [] : renderEmptyList(state, list, width);
  const lines: Line[] = [plain(`  ${titles}`, 'dim'), ...rows, ...empty].slice(0, height + 1);
  while (lines.length < height + 1) lines.push([]);
  return [...lines, ...renderFooter(state, list, size)].map((line) => truncateLine(line, width));
}

function renderEmptyList(state: State, { total }: VisibleList, width: number): readonly Line[] {
  const { tab } = state.ui;
  const { local } = state.about;
  const why =
    total > 0
      ? `No matches (0 of ${formatNumber(total)}). Esc clears the filter.`
      : tab === 'requests' && !local
        ? 'Requests are available only on the machine that runs the daemon.'
        : state.connection.state === 'connecting'
          ? 'Connecting…'
          : getTable(tab).emptyText;
  return wrapText(why, width - SELECTION_MARK.length).map((line) => plain(`  ${line}`));
}

function renderFooter(state: State, { rows, selected }: VisibleList, { columns, rows: height }: Size): readonly Line[] {
  const count = countFooterLines(state, height);
  if (state.ui.tab === 'limits') return renderCapabilities(state, columns, count);
  return state.ui.tab === 'stock' ? renderCommand(rows[selected] as StockRow | undefined, columns, count) : [];
}

/** The command that replenishes the selected item, whole. */
function renderCommand(row: StockRow | undefined, width: number, height: number): readonly Line[] {
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

function renderCapabilities({ capabilities }: State, width: number, height: number): readonly Line[] {
  const sorted = capabilities.rows.toSorted((a, b) => b.count - a.count || (a.capability < b.capability ? -1 : 1));
  const text = sorted.map(({ capability, count }) => `${capability} ${formatNumber(count)}`).join(' · ');
  const lines = wrapText(text === '' ? 'none yet' : text, width - SELECTION_MARK.length).map((line) => plain(`  ${line}`));
  const head: Line = [
    { text: '  Requests by capability', bold: true },
    { text: `, ${capabilities.since}`, tone: 'dim' },
  ];
  const shown = [head, ...lines.slice(0, height - 1)];
  while (shown.length < height) shown.push([]);
  return shown;
}

function renderOverlayText(state: State, overlay: Extract<Overlay, { scroll: number }>, now: number, width: number): readonly Line[] {
  return overlay.kind === 'help' ? renderHelp(width) : renderDetail(withLatestRow(state, overlay), createRenderContext(state, now), width);
}

/** With the current version of the row; a removed row is shown as it was. */
function withLatestRow({ rows, ui }: State, overlay: Extract<Overlay, { kind: 'detail' }>): Extract<Overlay, { kind: 'detail' }> {
  const known: readonly AnyRow[] = (ui.paused?.rows ?? rows)[overlay.tab];
  return { ...overlay, row: known.findLast(({ id }) => id === overlay.row.id) ?? overlay.row };
}

function renderOverlay(state: State, overlay: Extract<Overlay, { scroll: number }>, now: number, size: Size): readonly Line[] {
  const { height, lines } = getViewport(state, now, size);
  const start = Math.min(overlay.scroll, Math.max(0, lines - height));
  const text = renderOverlayText(state, overlay, now, size.columns).slice(start, start + height);
  const position = lines > height ? `${String(start + 1)}–${String(Math.min(lines, start + height))} of ${String(lines)}` : '';
  const title = overlay.kind === 'help' ? 'Keys and equivalent commands' : getTitle(overlay);
  return [justify([{ text: title, bold: true }], plain(position, 'dim'), size.columns), ...text].map((line) =>
    truncateLine(line, size.columns),
  );
}

const HELP_KEYS = 10;
const HELP_ACTION = 46;

function renderHelp(width: number): readonly Line[] {
  const isWide = width >= HELP_KEYS + HELP_ACTION + 52;
  return HELP.flatMap(({ keys, action: does, command }): Line[] => {
    const line: Line = [{ text: keys.padEnd(HELP_KEYS), bold: true }, { text: isWide ? does.padEnd(HELP_ACTION) : does }];
    if (command === null) return [line];
    const isShort = HELP_KEYS + does.length + 2 + command.length <= width;
    if (isWide || isShort) return [[...line, { text: `  ${command}`, tone: 'dim' }]];
    return [line, [{ text: ' '.repeat(HELP_KEYS) }, { text: command, tone: 'dim' }]];
  });
}

/** The longest hint that fits is shown. */
const HINTS = ['? help  / filter  f problems  p pause  enter details  q quit', '? help  / filter  q quit', '? help'];
/** Additional keys of a detail view. */
const DETAIL_HINTS: Readonly<Partial<Record<Tab, string>>> = { deliveries: 'r resend  ', endpoints: 'T check  ' };

function renderStatusLine(state: State, now: number, width: number): Line {
  const { ui } = state;
  const { overlay } = ui;
  if (overlay?.kind === 'confirm-resend') {
    return [
      {
        text: `Resend ${overlay.description}? y: yes, any other key: no`,
        tone: 'warn',
        bold: true,
      },
    ];
  }
  if (overlay?.kind === 'copy') return [{ text: 'Copy as c: curl, j: JSON, any other key: cancel', tone: 'warn', bold: true }];
  const list = selectList(state, now);
  if (ui.filterInput !== null) {
    const hint =
      list.problem ?? `${formatNumber(list.rows.length)} of ${formatNumber(list.total)}  /regex/ !inverse  enter apply  esc cancel`;
    return justify([{ text: `/${ui.filterInput}`, bold: true }, { text: '_' }], plain(hint, list.problem === null ? 'dim' : 'bad'), width);
  }
  if (ui.notice) return plain(sanitize(ui.notice.text), ui.notice.tone === 'info' ? 'plain' : ui.notice.tone);
  if (overlay)
    return plain(`esc back  j k scroll${overlay.kind === 'detail' ? `  ${DETAIL_HINTS[overlay.tab] ?? ''}y copy  e pager` : ''}`, 'dim');
  const status = renderStatus(state, list);
  const hints = HINTS.find((text) => measureLine(status) + 2 + text.length <= width) ?? '';
  return justify(status, plain(hints, 'dim'), width);
}

function renderStatus(state: State, { rows, total, following, problem }: VisibleList): Line {
  const { ui } = state;
  const filter = ui.filters[ui.tab];
  const problems = ui.tab === 'deliveries' ? describeProblems(rows as readonly DeliveryRow[]) : '';
  const count = rows.length === total ? formatCount(total, 'row') : `${formatNumber(rows.length)} of ${formatCount(total, 'row')}`;
  return [
    ...(ui.paused
      ? [{ text: `PAUSED, ${formatNumber(ui.paused.held[ui.tab])} held`, tone: 'warn', bold: true } as const, { text: '  ' }]
      : []),
    { text: count },
    ...(following && !ui.paused ? [{ text: ' following', tone: 'dim' } as const] : []),
    ...(ui.problemsOnly ? [{ text: '  problems only', tone: 'warn' } as const] : []),
    ...(problems === '' ? [] : [{ text: `  ${problems}`, tone: 'bad' } as const]),
    ...(filter === '' ? [] : [{ text: `  /${filter}`, tone: 'warn' } as const]),
    ...(problem === null ? [] : [{ text: ` ${problem}`, tone: 'bad' } as const]),
  ];
}

/** The selected row as one sentence for a screen reader. */
export function describeRow(row: AnyRow | undefined, state: State, now: number): string {
  if (!row) return getTable(state.ui.tab).emptyText;
  const context = createRenderContext(state, now);
  return getTable(state.ui.tab)
    .columns.filter(({ title }) => title !== 'LAST 60 s' && title !== 'LAST HOUR' && title !== 'USED')
    .map((column) => [column.title.toLowerCase(), column.text(row, context, 80).replace(/^[+x~·-] /u, '')])
    .filter(([, text]) => text !== '')
    .map(([title, text]) => `${title ?? ''} ${text ?? ''}`)
    .join(', ');
}
