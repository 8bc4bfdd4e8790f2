/** The last lines of the screen: a question, the text being typed, a notice, or what the list shows and the most useful keys. */
import { Box } from 'ink';
import type { JSX } from 'react';
import { showsRecord } from '../details/overlay.ts';
import { countAll, describeRead, resendsAll } from '../details/resend-question.ts';
import type { DeliveryRow, Notice, Overlay, State, Tab } from '../state/model.ts';
import { countProblems, describeProblems } from '../tables/deliveries.ts';
import { formatCount, formatNumber } from '../tables/format.ts';
import { getTable } from '../tables/index.ts';
import { type VisibleList, canToggleProblems, getTypedProblem, selectList } from '../tables/selectors.ts';
import { type Span, createRenderContext } from '../tables/table.ts';
import { Ends, T, measure, wrap } from './text.tsx';

type Line = readonly Span[];

/** Longer notices are truncated. */
const NOTICE_LINES = 4;

export function StatusLine({ state, now, width }: { readonly state: State; readonly now: number; readonly width: number }): JSX.Element {
  const notice = listNoticeLines(state, width);
  const problem = listProblemLines(state, width);
  const { left, rights } = describeStatus(state, now);
  const right = rights.find((text) => measure(left) + 2 + text.length <= width) ?? rights.at(-1) ?? '';
  return (
    <Box flexDirection="column" flexShrink={0}>
      {problem.map((line, at) => (
        <T key={at} tone="bad">
          {line}
        </T>
      ))}
      {notice === null ? (
        <Ends left={left} right={right === '' ? [] : [{ text: right, tone: 'dim' }]} />
      ) : (
        notice.map((line, at) => (
          <T key={at} tone={getNoticeTone(state.ui.notice)}>
            {line}
          </T>
        ))
      )}
    </Box>
  );
}

const getNoticeTone = (notice: Notice | null) => (notice === null || notice.tone === 'info' ? 'plain' : notice.tone);

/** What is wrong with the filter being typed, above it. */
const listProblemLines = (state: State, width: number): readonly string[] => {
  const problem = getTypedProblem(state);
  return problem === null ? [] : wrapNotice(problem, width);
};

/** How high the status line is. */
export const countStatusLines = (state: State, width: number): number =>
  listNoticeLines(state, width)?.length ?? 1 + listProblemLines(state, width).length;

/** The lines of a notice; null while none is shown. A question and text being typed take precedence. */
function listNoticeLines({ ui }: State, width: number): readonly string[] | null {
  const { notice, overlay, filterInput, commandInput, search } = ui;
  const isAsking = getQuestion(overlay) !== null || filterInput !== null || commandInput !== null || search?.isTyping === true;
  if (notice === null || isAsking) return null;
  return wrapNotice(notice.text, width);
}

function wrapNotice(text: string, width: number): readonly string[] {
  const lines = wrap(text, width);
  return lines.length <= NOTICE_LINES ? lines : [...lines.slice(0, NOTICE_LINES - 1), lines.slice(NOTICE_LINES - 1).join('')];
}

/** What is asked in the status line; null if nothing. */
function getQuestion(overlay: Overlay | null): string | null {
  switch (overlay?.kind) {
    case 'confirm':
      return overlay.question;
    case 'copy':
      return 'Copy as c: curl, j: JSON, any other key: cancel';
    default:
      return null;
  }
}

/** What is on the left, and on the right the longest of the texts that fits. */
function describeStatus(state: State, now: number): { readonly left: Line; readonly rights: readonly string[] } {
  const { overlay, filterInput, commandInput, search } = state.ui;
  const question = getQuestion(overlay);
  if (question !== null) return { left: [{ text: question, tone: 'warn', bold: true }], rights: [] };
  const list = selectList(state, now);
  if (filterInput !== null) return describeFilterInput(state, filterInput, list, now);
  if (commandInput !== null) return { left: typed(':', commandInput), rights: ['enter go  esc cancel', ''] };
  if (search?.isTyping === true) return { left: typed('/', search.text), rights: ['enter find  esc cancel', ''] };
  if (overlay !== null) return { left: describeOverlayKeys(overlay, state.ui), rights: [] };
  return { left: describeList(state, list), rights: listHints(state, list, now) };
}

const typed = (sign: string, text: string): Line => [{ text: sign + text, bold: true }, { text: '_' }];

/** With the number of matches and the fields of the tab. */
function describeFilterInput(state: State, input: string, { rows, total }: VisibleList, now: number) {
  const left = typed('/', input);
  if (getTypedProblem(state) !== null) return { left, rights: ['esc cancel', ''] };
  const fields = Object.keys(getTable(state.ui.tab).queryFields(createRenderContext(state, now)));
  const found = `${formatNumber(rows.length)} of ${formatNumber(total)}`;
  const names = fields.map((name) => `${name}:`).join(' ');
  const keys = 'enter apply  esc cancel';
  return { left, rights: [`${names}  ${found}  ${keys}`, `${names}  ${found}`, `${found}  ${keys}`, found] };
}

/** The longest that fits is shown. What esc does is never left out. */
function listHints(state: State, list: VisibleList, now: number): readonly string[] {
  const back = getBackHint(state);
  const problems = canToggleProblems(state, list, now) ? (state.ui.views[state.ui.tab].problemsOnly ? 'f all rows  ' : 'f problems  ') : '';
  return [
    `${back}? help  / filter  : go to  ${problems}s sort  p pause  enter open  q quit`,
    `${back}? help  / filter  ${problems}p pause  enter open  q quit`,
    `${back}? help  / filter  q quit`,
    `${back}? help`,
    back.trimEnd(),
  ];
}

/** What esc does in a list; empty if nothing. */
function getBackHint({ ui }: State): string {
  const { filter, problemsOnly, sorting } = ui.views[ui.tab];
  if (ui.endpointId !== null) return 'esc back  ';
  const canClear = filter !== '' || problemsOnly || sorting !== null || ui.marked.size > 0;
  return canClear ? 'esc clear  ' : '';
}

/** Additional keys of a detail view. */
const DETAIL_HINTS: Readonly<Partial<Record<Tab, string>>> = { deliveries: 'r resend  ', endpoints: 'T check  ', orders: 'c status  ' };

function describeOverlayKeys(overlay: Overlay, { showsRecordsAsJson: isJson, search }: State['ui']): Line {
  if (overlay.kind === 'status') {
    const answer = overlay.content.state === 'ready' ? `y changes ${overlay.order.orderNumber} to ${overlay.to}  ` : '';
    return [warning(answer), dim('← → other status  esc cancel')];
  }
  if (overlay.kind === 'resend') {
    const { rows, progress } = overlay;
    const isAll = resendsAll(overlay);
    const count = isAll ? countAll(overlay) : rows.length;
    const more = countAll(overlay) === 0 ? '' : `  a ${isAll ? describeRead(overlay) : 'all'}`;
    if (progress === null && isAll && overlay.all?.state !== 'ready') return [dim(`a ${describeRead(overlay)}  esc cancel`)];
    if (progress === null)
      return [warning(`y resends ${formatCount(count, 'delivery', 'deliveries')}`), dim(`${more}  ← → rate  esc cancel`)];
    if (isAll) return [dim('esc stop')];
    return [warning(progress.isPaused ? 'PAUSED  ' : ''), dim(`p ${progress.isPaused ? 'continue' : 'pause'}  ← → rate  esc stop`)];
  }
  const own =
    overlay.kind === 'detail' ? `  ${DETAIL_HINTS[overlay.tab] ?? ''}y copy  o URL  e pager` : overlay.kind === 'record' ? '  o URL' : '';
  const toggle = showsRecord(overlay) ? (isJson ? '  J fields' : '  J JSON') : '';
  return [dim(`esc back  j k scroll  ${search === null ? '/ find' : 'n N next match'}${own}${toggle}`)];
}

const warning = (text: string): Span => ({ text, tone: 'warn', bold: true });
const dim = (text: string): Span => ({ text, tone: 'dim' });

function describeList(state: State, { rows, total, following }: VisibleList): Line {
  const { ui } = state;
  const { tab, paused } = ui;
  const { filter, problemsOnly, sorting } = ui.views[tab];
  const isOverview = tab === 'overview';
  const problems = tab === 'deliveries' ? describeProblems(countProblems(rows as readonly DeliveryRow[])) : '';
  const endpoint = state.rows.endpoints.find(({ id }) => id === ui.endpointId)?.name;
  const marked = tab === 'deliveries' ? rows.filter(({ id }) => ui.marked.has(id)).length : 0;
  const all = formatCount(total, isOverview ? 'problem' : 'row');
  const parts: readonly (Span | false)[] = [
    paused !== null && warning(tab === 'overview' ? 'PAUSED  ' : `PAUSED, ${formatNumber(paused.held[tab])} waiting  `),
    endpoint !== undefined && { text: `${endpoint}: `, tone: 'warn' },
    { text: rows.length === total ? all : `${formatNumber(rows.length)} of ${all}` },
    marked > 0 && warning(`  ${formatNumber(marked)} marked`),
    following && paused === null && dim(' following'),
    problemsOnly && { text: '  problems only', tone: 'warn' },
    problems !== '' && { text: `  ${problems}`, tone: 'bad' },
    sorting !== null && { text: `  by ${sorting.by.toLowerCase()}${sorting.isDescending ? ', descending' : ''}`, tone: 'warn' },
    filter !== '' && { text: `  /${filter}`, tone: 'warn' },
  ];
  return parts.filter((part) => part !== false);
}
