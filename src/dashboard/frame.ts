/** From the state to a frame: exactly as many lines as the screen has rows, none wider than its columns. Pure. */
import { detailLines, titleOf } from './detail.ts';
import { headerLines, tabLine } from './header.ts';
import { HELP } from './keys.ts';
import { GAP, placed, windowStart } from './layout.ts';
import { type Line, type Span, cell, cut, ends, lineWidth, plain } from './lines.ts';
import type { AnyRow, Overlay, State, Tab } from './model.ts';
import { type Listed, listed } from './select.ts';
import { momentOf, tableOf } from './tables.ts';
import { visible, wrap } from '../cli/width.ts';
import { counted, grouped } from './words.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export const SMALLEST: Size = { columns: 60, rows: 15 };
/** The column titles, and the line at the bottom. */
const AROUND_LIST = 2;
/** What an overlay has beside its text: a title, and the line at the bottom. */
const AROUND_OVERLAY = 2;
const CAPABILITY_LINES = 4;
const MARK = '> ';

/** What `press` must know about the frame: how many rows are in sight, and how many lines an open overlay has. */
export function sightOf(state: State, now: number, size: Size): { now: number; height: number; lines: number } {
  const { overlay } = state.ui;
  const above = headerLines(state, now, size.columns).length + 1;
  if (overlay?.kind === 'help' || overlay?.kind === 'detail') {
    return { now, height: Math.max(1, size.rows - above - AROUND_OVERLAY), lines: overlayText(state, overlay, now, size.columns).length };
  }
  return { now, height: Math.max(1, size.rows - above - AROUND_LIST - below(state, size.rows)), lines: 0 };
}

/** Lines below the list of limits: requests by capability. */
const below = ({ ui }: State, rows: number): number => (ui.tab === 'limits' ? CAPABILITY_LINES + (rows > 30 ? CAPABILITY_LINES : 0) : 0);

export function frameOf(state: State, now: number, size: Size): readonly Line[] {
  const { columns, rows } = size;
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) {
    const text = `The dashboard needs ${String(SMALLEST.columns)}x${String(SMALLEST.rows)}; this is ${String(columns)}x${String(rows)}. q quits.`;
    return wrap(text, columns)
      .slice(0, rows)
      .map((line) => cut(plain(line), columns));
  }
  const head = [...headerLines(state, now, columns), tabLine(state, columns)];
  const { overlay } = state.ui;
  const body =
    overlay?.kind === 'help' || overlay?.kind === 'detail' ? overlayLines(state, overlay, now, size) : listLines(state, now, size);
  const filled = [...head, ...body].slice(0, rows - 1);
  while (filled.length < rows - 1) filled.push([]);
  return [...filled, cut(bottomLine(state, now, columns), columns)];
}

function listLines(state: State, now: number, size: Size): readonly Line[] {
  const { tab } = state.ui;
  const { columns: width } = size;
  const table = tableOf(tab);
  const list = listed(state, now);
  const { height } = sightOf(state, now, size);
  const layout = placed(table.columns, width - MARK.length);
  const titles = layout.map(({ column, width: w }) => cell(column.title, w, column.right)).join(' '.repeat(GAP));
  const moment = momentOf(state, now);
  const start = windowStart(list.selected, list.rows.length, height);
  const rows = list.rows.slice(start, start + height).map((row, index): Line => {
    const isSelected = start + index === list.selected;
    const cells = layout.flatMap(({ column, width: w }, place): Span[] => {
      const text = (place === 0 ? '' : ' '.repeat(GAP)) + cell(column.text(row, moment, w), w, column.right);
      const tone = column.tone?.(row, moment);
      return [{ text, ...(tone === undefined ? {} : { tone }), ...(isSelected ? { bold: true } : {}) }];
    });
    return [{ text: isSelected ? MARK : '  ', ...(isSelected ? { bold: true } : {}) }, ...cells];
  });
  const empty = list.rows.length > 0 ? [] : emptyLines(state, list, width);
  const lines: Line[] = [plain(`  ${titles}`, 'dim'), ...rows, ...empty].slice(0, height + 1);
  while (lines.length < height + 1) lines.push([]);
  return [...lines, ...(tab === 'limits' ? capabilityLines(state, width, below(state, size.rows)) : [])].map((line) => cut(line, width));
}

function emptyLines(state: State, { total }: Listed, width: number): readonly Line[] {
  const { tab } = state.ui;
  const { local } = state.about;
  const why =
    total > 0
      ? `None of ${counted(total, 'row')} passes: esc shows all again.`
      : tab === 'requests' && !local
        ? 'A remote service does not tell its requests; only a dashboard on its own machine sees them.'
        : state.connection.state === 'connecting'
          ? 'Connecting …'
          : tableOf(tab).empty;
  return wrap(why, width - MARK.length).map((line) => plain(`  ${line}`));
}

function capabilityLines({ capabilities }: State, width: number, height: number): readonly Line[] {
  const sorted = capabilities.rows.toSorted((a, b) => b.count - a.count || (a.capability < b.capability ? -1 : 1));
  const text = sorted.map(({ capability, count }) => `${capability} ${grouped(count)}`).join(' · ');
  const lines = wrap(text === '' ? 'none yet' : text, width - MARK.length).map((line) => plain(`  ${line}`));
  const head: Line = [
    { text: '  Requests by capability', bold: true },
    { text: `, ${capabilities.since}`, tone: 'dim' },
  ];
  const shown = [head, ...lines.slice(0, height - 1)];
  while (shown.length < height) shown.push([]);
  return shown;
}

function overlayText(state: State, overlay: Extract<Overlay, { scroll: number }>, now: number, width: number): readonly Line[] {
  return overlay.kind === 'help' ? helpLines(width) : detailLines(asItIs(state, overlay), momentOf(state, now), width);
}

/** With the row as it stands in the list by now; one that has gone from there as it was. */
function asItIs({ rows, ui }: State, overlay: Extract<Overlay, { kind: 'detail' }>): Extract<Overlay, { kind: 'detail' }> {
  const known: readonly AnyRow[] = (ui.paused?.rows ?? rows)[overlay.tab];
  return { ...overlay, row: known.findLast(({ id }) => id === overlay.row.id) ?? overlay.row };
}

function overlayLines(state: State, overlay: Extract<Overlay, { scroll: number }>, now: number, size: Size): readonly Line[] {
  const { height, lines } = sightOf(state, now, size);
  const start = Math.min(overlay.scroll, Math.max(0, lines - height));
  const text = overlayText(state, overlay, now, size.columns).slice(start, start + height);
  const position = lines > height ? `${String(start + 1)}–${String(Math.min(lines, start + height))} of ${String(lines)}` : '';
  const title = overlay.kind === 'help' ? 'Keys, and the command that does the same' : titleOf(overlay);
  return [ends([{ text: title, bold: true }], plain(position, 'dim'), size.columns), ...text].map((line) => cut(line, size.columns));
}

const HELP_KEYS = 10;
const HELP_DOES = 46;

function helpLines(width: number): readonly Line[] {
  const isWide = width >= HELP_KEYS + HELP_DOES + 52;
  return HELP.flatMap(({ keys, does, command }): Line[] => {
    const line: Line = [{ text: keys.padEnd(HELP_KEYS), bold: true }, { text: isWide ? does.padEnd(HELP_DOES) : does }];
    if (command === null) return [line];
    const isShort = HELP_KEYS + does.length + 2 + command.length <= width;
    if (isWide || isShort) return [[...line, { text: `  ${command}`, tone: 'dim' }]];
    return [line, [{ text: ' '.repeat(HELP_KEYS) }, { text: command, tone: 'dim' }]];
  });
}

/** The longest that fits is shown. */
const HINTS = ['? help  / filter  f failed  p pause  enter detail  q quit', '? help  / filter  q quit', '? help'];
/** The keys that do something to the row, beside those of every detail. */
const DETAIL_HINTS: Readonly<Partial<Record<Tab, string>>> = { deliveries: 'r resend  ', endpoints: 'T check  ' };

function bottomLine(state: State, now: number, width: number): Line {
  const { ui } = state;
  const { overlay } = ui;
  if (overlay?.kind === 'confirm-resend') {
    return [
      {
        text: `Resend ${counted(overlay.ids.length, 'failed delivery', 'failed deliveries')} that are shown? y yes, any other key no`,
        tone: 'warn',
        bold: true,
      },
    ];
  }
  if (overlay?.kind === 'copy') return [{ text: 'Copy as: c curl, j JSON, any other key nothing', tone: 'warn', bold: true }];
  const list = listed(state, now);
  if (ui.draft !== null) {
    const hint = list.problem ?? `${grouped(list.rows.length)} of ${grouped(list.total)}  /regex/ !inverse  enter keep  esc drop`;
    return ends([{ text: `/${ui.draft}`, bold: true }, { text: '_' }], plain(hint, list.problem === null ? 'dim' : 'bad'), width);
  }
  if (ui.notice) return plain(visible(ui.notice.text), ui.notice.tone === 'info' ? 'plain' : ui.notice.tone);
  if (overlay)
    return plain(`esc back  j k scroll${overlay.kind === 'detail' ? `  ${DETAIL_HINTS[overlay.tab] ?? ''}y copy  e pager` : ''}`, 'dim');
  const status = statusSpans(state, list);
  const hints = HINTS.find((text) => lineWidth(status) + 2 + text.length <= width) ?? '';
  return ends(status, plain(hints, 'dim'), width);
}

function statusSpans(state: State, { rows, total, following, problem }: Listed): Line {
  const { ui } = state;
  const filter = ui.filters[ui.tab];
  const count = rows.length === total ? counted(total, 'row') : `${grouped(rows.length)} of ${counted(total, 'row')}`;
  return [
    ...(ui.paused ? [{ text: `PAUSED, ${grouped(ui.paused.held[ui.tab])} held`, tone: 'warn', bold: true } as const, { text: '  ' }] : []),
    { text: count },
    ...(following && !ui.paused ? [{ text: ' following', tone: 'dim' } as const] : []),
    ...(ui.failedOnly ? [{ text: '  failed only', tone: 'warn' } as const] : []),
    ...(filter === '' ? [] : [{ text: `  /${filter}`, tone: 'warn' } as const]),
    ...(problem === null ? [] : [{ text: ` ${problem}`, tone: 'bad' } as const]),
  ];
}

/** The row that is selected, as one sentence for a screen reader. */
export function spoken(row: AnyRow | undefined, state: State, now: number): string {
  if (!row) return tableOf(state.ui.tab).empty;
  const moment = momentOf(state, now);
  return tableOf(state.ui.tab)
    .columns.filter(({ title }) => title !== 'LAST 60 s' && title !== 'USED')
    .map((column) => [column.title.toLowerCase(), column.text(row, moment, 80).replace(/^[+x~·-] /u, '')])
    .filter(([, text]) => text !== '')
    .map(([title, text]) => `${title ?? ''} ${text ?? ''}`)
    .join(', ');
}
