/** Renders the state to a frame: exactly as many lines as the screen has rows, none wider than its columns. Pure. */
import { wrapText } from '../../cli/output/text-width.ts';
import { sanitize } from '../../platform/terminal-text.ts';
import type { AnyRow, Overlay, State } from '../state/model.ts';
import { getTitle, renderDetail } from './detail.ts';
import { renderHeader, renderTabs } from './header.ts';
import { renderHelp, renderSavedFilters } from './help.ts';
import { type Line, findText, highlight, justify, plain, truncateLine } from './lines.ts';
import { type Size, countFooterLines } from './list.ts';
import { renderOverview } from './overview/overview.ts';
import { renderRecord } from './record.ts';
import { describeResend, renderResendQuestion } from './resend-question.ts';
import { renderStatusQuestion } from './status-question.ts';
import { renderListWithDetails } from './split.ts';
import { countStatusLines, renderStatusLines } from './status-line.ts';
import { createRenderContext, getColumnLabel } from './table-types.ts';
import { getTable } from './tables.ts';

export const MIN_SIZE: Size = { columns: 60, rows: 15 };
/** The column titles. */
const LIST_TITLE_LINES = 1;
const OVERLAY_TITLE_LINES = 1;

/** What `handleKey` needs to know about the frame: the number of visible rows, of lines in an open overlay, and those that match its search. */
export function getViewport(
  state: State,
  now: number,
  size: Size,
): { now: number; height: number; lines: number; matches: readonly number[] } {
  const { overlay } = state.ui;
  const above = renderHeader(state, now, size.columns).length + 1;
  const below = countStatusLines(state, size.columns);
  if (overlay !== null && 'scroll' in overlay) {
    const text = renderOverlayText(state, overlay, now, size.columns);
    const wanted = state.ui.search?.text ?? '';
    const matches = text.flatMap((line, index) => (findText(line, wanted).length > 0 ? [index] : []));
    return { now, height: Math.max(1, size.rows - above - OVERLAY_TITLE_LINES - below), lines: text.length, matches };
  }
  return { now, height: Math.max(1, size.rows - above - LIST_TITLE_LINES - below - countFooterLines(state, size)), lines: 0, matches: [] };
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
    overlay !== null && 'scroll' in overlay
      ? renderOverlay(state, overlay, now, size)
      : state.ui.tab === 'overview'
        ? renderOverview(state, now, size, getViewport(state, now, size).height + LIST_TITLE_LINES)
        : renderListWithDetails(state, now, size, getViewport(state, now, size).height);
  const status = renderStatusLines(state, now, columns);
  const above = rows - status.length;
  const filled = [...head, ...body].slice(0, above);
  while (filled.length < above) filled.push([]);
  return [...filled, ...status];
}

function renderOverlayText(state: State, overlay: Extract<Overlay, { scroll: number }>, now: number, width: number): readonly Line[] {
  if (overlay.kind === 'help') return renderHelp(width);
  if (overlay.kind === 'filters') return renderSavedFilters(state.savedFilters, width);
  const context = createRenderContext(state, now);
  if (overlay.kind === 'record') return renderRecord(overlay, context, width);
  if (overlay.kind === 'resend') return renderResendQuestion(overlay, context, width);
  if (overlay.kind === 'status') return renderStatusQuestion(overlay, context, width);
  return renderDetail(withLatestRow(state, overlay), context, width);
}

/** With the current version of the row; a removed row is shown as it was. */
function withLatestRow({ rows, ui }: State, overlay: Extract<Overlay, { kind: 'detail' }>): Extract<Overlay, { kind: 'detail' }> {
  const known: readonly AnyRow[] = (ui.paused?.rows ?? rows)[overlay.tab];
  return { ...overlay, row: known.findLast(({ id }) => id === overlay.row.id) ?? overlay.row };
}

function renderOverlay(state: State, overlay: Extract<Overlay, { scroll: number }>, now: number, size: Size): readonly Line[] {
  const { height, lines } = getViewport(state, now, size);
  const start = Math.min(overlay.scroll, Math.max(0, lines - height));
  const text = renderOverlayText(state, overlay, now, size.columns)
    .slice(start, start + height)
    .map((line) => highlight(line, state.ui.search?.text ?? ''));
  const position = lines > height ? `${String(start + 1)}–${String(Math.min(lines, start + height))} of ${String(lines)}` : '';
  const title = getOverlayTitle(overlay);
  return [justify([{ text: title, bold: true }], plain(position, 'dim'), size.columns), ...text].map((line) =>
    truncateLine(line, size.columns),
  );
}

function getOverlayTitle(overlay: Extract<Overlay, { scroll: number }>): string {
  switch (overlay.kind) {
    case 'help':
      return 'Keys and equivalent commands';
    case 'filters':
      return 'Saved filters';
    case 'record':
      return sanitize(overlay.title);
    case 'status':
      return `Change the status of ${sanitize(overlay.order.orderNumber)}`;
    case 'resend':
      return `Resend ${describeResend(overlay)}`;
    case 'detail':
      return getTitle(overlay);
  }
}

/** The selected row as one sentence for a screen reader. */
export function describeRow(row: AnyRow | undefined, state: State, now: number): string {
  if (!row) return getTable(state.ui.tab).emptyText;
  const context = createRenderContext(state, now);
  return getTable(state.ui.tab)
    .columns.filter(({ title }) => title !== 'LAST 60 s' && title !== 'LAST HOUR' && title !== 'USED')
    .map((column) => [getColumnLabel(column, context).toLowerCase(), column.text(row, context, 80).replace(/^[+x~·-] /u, '')])
    .filter(([, text]) => text !== '')
    .map(([title, text]) => `${title ?? ''} ${text ?? ''}`)
    .join(', ');
}
