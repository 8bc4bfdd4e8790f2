/** The last lines of the screen: a question, the text being typed, a notice, or what the list shows and the most useful keys. */
import { sanitize } from '../../platform/terminal-text.ts';
import type { DeliveryRow, Notice, Overlay, State, Tab } from '../state/model.ts';
import { formatCount, formatNumber } from './format.ts';
import { type Line, breakText, justify, measureLine, plain, truncateLine } from './lines.ts';
import { showsRecord } from './record.ts';
import { describeProblems } from './counts.ts';
import { type VisibleList, canToggleProblems, selectList } from './selectors.ts';
import { createRenderContext } from './table-types.ts';
import { getTable } from './tables.ts';

/** The longest hint that fits is shown. `back`: what esc does, which is never left out. */
const getHints = (back: string, problems: string): readonly string[] => [
  `${back}? help  / filter  : go to  ${problems}s sort  p pause  enter open  q quit`,
  `${back}? help  / filter  ${problems}p pause  enter open  q quit`,
  `${back}? help  / filter  q quit`,
  `${back}? help`,
  back.trimEnd(),
];
/** Additional keys of a detail view. */
const DETAIL_HINTS: Readonly<Partial<Record<Tab, string>>> = { deliveries: 'r resend  ', endpoints: 'T check  ', orders: 'c status  ' };

/** Longer notices are truncated. */
const NOTICE_LINES = 4;

export const renderStatusLines = (state: State, now: number, width: number): readonly Line[] =>
  renderNotice(state, width) ?? [truncateLine(renderStatusLine(state, now, width), width)];

/** Several lines for a long notice. */
export const countStatusLines = (state: State, width: number): number => renderNotice(state, width)?.length ?? 1;

function renderNotice(state: State, width: number): readonly Line[] | null {
  const notice = getShownNotice(state);
  if (notice === null) return null;
  const { text, tone } = notice;
  const lines = breakText(sanitize(text), width);
  const shown = lines.length > NOTICE_LINES ? [...lines.slice(0, NOTICE_LINES - 1), lines.slice(NOTICE_LINES - 1).join(' ')] : lines;
  return shown.map((line) => truncateLine(plain(line, tone === 'info' ? 'plain' : tone), width));
}

/** A question and text being typed take precedence. */
const getShownNotice = ({ ui: { notice, overlay, filterInput, commandInput, search } }: State): Notice | null =>
  search?.isTyping === true ||
  overlay?.kind === 'confirm-resend' ||
  overlay?.kind === 'copy' ||
  filterInput !== null ||
  commandInput !== null
    ? null
    : notice;

function renderStatusLine(state: State, now: number, width: number): Line {
  const { ui } = state;
  const { overlay } = ui;
  if (overlay?.kind === 'confirm-resend') {
    return [
      {
        text: 'Resend this delivery, which was already delivered? y to resend, any other key to cancel',
        tone: 'warn',
        bold: true,
      },
    ];
  }
  if (overlay?.kind === 'copy') return [{ text: 'Copy as c: curl, j: JSON, any other key: cancel', tone: 'warn', bold: true }];
  const list = selectList(state, now);
  if (ui.filterInput !== null) return renderFilterInput(state, ui.filterInput, list, now, width);
  if (ui.commandInput !== null)
    return justify([{ text: `:${ui.commandInput}`, bold: true }, { text: '_' }], plain('enter go  esc cancel', 'dim'), width);
  if (ui.search?.isTyping === true)
    return justify([{ text: `/${ui.search.text}`, bold: true }, { text: '_' }], plain('enter find  esc cancel', 'dim'), width);
  if (overlay?.kind === 'status') return renderStatusHints(overlay);
  if (overlay?.kind === 'resend') return renderResendHints(overlay);
  if (overlay) return plain(getOverlayHints(overlay, ui), 'dim');
  const status = renderStatus(state, list);
  const back = getBackHint(state);
  const problems = canToggleProblems(state, list) ? (ui.problemsOnly[ui.tab] ? 'f all rows  ' : 'f problems  ') : '';
  const hint = getHints(back, problems).find((text) => measureLine(status) + 2 + text.length <= width) ?? back.trimEnd();
  return justify(truncateLine(status, width - hint.length - 2), plain(hint, 'dim'), width);
}

/** With the number of matches and the fields of the tab, or what is wrong. */
function renderFilterInput(state: State, input: string, { rows, total, problem }: VisibleList, now: number, width: number): Line {
  const typed: Line = [{ text: `/${input}`, bold: true }, { text: '_' }];
  if (problem !== null) return justify(typed, plain(problem, 'bad'), width);
  const fields = Object.keys(getTable(state.ui.tab).queryFields(createRenderContext(state, now)));
  const found = `${formatNumber(rows.length)} of ${formatNumber(total)}`;
  const names = fields.map((name) => `${name}:`).join(' ');
  const keys = 'enter apply  esc cancel';
  const hints = [`${names}  ${found}  ${keys}`, `${names}  ${found}`, `${found}  ${keys}`];
  const hint = hints.find((text) => measureLine(typed) + 2 + text.length <= width) ?? found;
  return justify(typed, plain(hint, 'dim'), width);
}

/** What esc does in a list; empty if nothing. */
function getBackHint({ ui }: State): string {
  const { tab } = ui;
  if (ui.endpointId !== null) return 'esc back  ';
  const canClear = ui.filters[tab] !== '' || ui.problemsOnly[tab] || ui.sortings[tab] !== null || ui.marked.size > 0;
  return canClear ? 'esc clear  ' : '';
}

const renderStatusHints = ({ order, to, content }: Extract<Overlay, { kind: 'status' }>): Line =>
  content.state === 'ready'
    ? [
        { text: `y changes ${sanitize(order.orderNumber)} to ${to}`, tone: 'warn', bold: true },
        { text: '  ← → other status  esc cancel', tone: 'dim' },
      ]
    : plain('← → other status  esc cancel', 'dim');

const renderResendHints = ({ rows, progress }: Extract<Overlay, { kind: 'resend' }>): Line =>
  progress === null
    ? [
        { text: `y resends ${formatCount(rows.length, 'delivery', 'deliveries')}`, tone: 'warn', bold: true },
        { text: '  ← → rate  esc cancel', tone: 'dim' },
      ]
    : [
        ...(progress.isPaused ? [{ text: 'PAUSED  ', tone: 'warn', bold: true } as const] : []),
        { text: `p ${progress.isPaused ? 'continue' : 'pause'}  ← → rate  esc stop`, tone: 'dim' },
      ];

function getOverlayHints(overlay: Overlay, { recordsAsJson: isJson, search }: State['ui']): string {
  const isSearching = search !== null;
  const own =
    overlay.kind === 'detail' ? `  ${DETAIL_HINTS[overlay.tab] ?? ''}y copy  o URL  e pager` : overlay.kind === 'record' ? '  o URL' : '';
  const toggle = showsRecord(overlay) ? (isJson ? '  J fields' : '  J JSON') : '';
  return `esc back  j k scroll  ${isSearching ? 'n N next match' : '/ find'}${own}${toggle}`;
}

function renderStatus(state: State, { rows, total, following, problem }: VisibleList): Line {
  const { ui } = state;
  const filter = ui.filters[ui.tab];
  const problems = ui.tab === 'deliveries' ? describeProblems(rows as readonly DeliveryRow[]) : '';
  const endpoint = state.rows.endpoints.find(({ id }) => id === ui.endpointId)?.name;
  const marked = ui.tab === 'deliveries' ? rows.filter(({ id }) => ui.marked.has(id)).length : 0;
  const sorting = ui.sortings[ui.tab];
  const what = ui.tab === 'overview' ? 'problem' : 'row';
  const count = rows.length === total ? formatCount(total, what) : `${formatNumber(rows.length)} of ${formatCount(total, 'row')}`;
  return [
    ...(ui.paused
      ? [
          {
            text: ui.tab === 'overview' ? 'PAUSED' : `PAUSED, ${formatNumber(ui.paused.held[ui.tab])} waiting`,
            tone: 'warn',
            bold: true,
          } as const,
          { text: '  ' },
        ]
      : []),
    ...(endpoint === undefined ? [] : [{ text: `${sanitize(endpoint)}: `, tone: 'warn' } as const]),
    { text: count },
    ...(marked === 0 ? [] : [{ text: `  ${formatNumber(marked)} marked`, tone: 'warn', bold: true } as const]),
    ...(following && !ui.paused ? [{ text: ' following', tone: 'dim' } as const] : []),
    ...(ui.problemsOnly[ui.tab] ? [{ text: '  problems only', tone: 'warn' } as const] : []),
    ...(problems === '' ? [] : [{ text: `  ${problems}`, tone: 'bad' } as const]),
    ...(sorting === null
      ? []
      : [{ text: `  by ${sorting.by.toLowerCase()}${sorting.isDescending ? ', descending' : ''}`, tone: 'warn' } as const]),
    ...(filter === '' ? [] : [{ text: `  /${filter}`, tone: 'warn' } as const]),
    ...(problem === null ? [] : [{ text: ` ${problem}`, tone: 'bad' } as const]),
  ];
}
