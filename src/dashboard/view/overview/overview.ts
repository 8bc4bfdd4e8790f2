/** The overview: what needs attention, then deliveries, requests, endpoints and limits; from 150 columns on in two columns. */
import type { State } from '../../state/model.ts';
import { getFirstVisible } from '../layout.ts';
import { type Line, placeBeside, plain, truncateLine } from '../lines.ts';
import type { Size } from '../list.ts';
import { selectList } from '../selectors.ts';
import { layOutRows, renderRow } from '../table-lines.ts';
import { createRenderContext } from '../table-types.ts';
import { getTable } from '../tables.ts';
import { CHART_WIDTH, renderDeliveries, renderEndpoints, renderLimits, renderRequests } from './sections.ts';

/** From this width on, there is room for lists beside the charts. */
const TWO_COLUMNS = 150;
const GUTTER = 3;
/** The share of the lines for sentences, which have priority over lists below. */
const ATTENTION_SHARE = 0.3;
/** Most lines of lists, so that all sections are seen. */
const LIST_SHARE = 0.25;

export const countAttentionLines = (sentences: number, height: number): number =>
  Math.max(1, Math.min(sentences, Math.floor(height * ATTENTION_SHARE)));

export function renderOverview(state: State, now: number, { columns }: Pick<Size, 'columns'>, height: number): readonly Line[] {
  const top = renderAttention(state, now, columns, height);
  const below = height - top.length - 1;
  const isWide = columns >= TWO_COLUMNS;
  const width = isWide ? columns - GUTTER - CHART_WIDTH : columns;
  const chartWidth = Math.min(columns, CHART_WIDTH);
  const context = createRenderContext(state, now);
  const listHeight = Math.max(3, Math.floor(isWide ? below / 2 : below * LIST_SHARE));
  const charts = [renderDeliveries(state, now, chartWidth), renderRequests(state, now, chartWidth)];
  const lists = [renderEndpoints(state, now, width, listHeight), renderLimits(state, context, width, listHeight)];
  const body = isWide
    ? placeBeside(stack(lists, below), stack(charts, below), width, { text: ' '.repeat(GUTTER) })
    : stack([charts[0]!, lists[0]!, charts[1]!, lists[1]!], below);
  return [...top, [], ...body].map((line) => truncateLine(line, columns));
}

/** Sentences with the selected one; `height` is that of the whole overview. */
function renderAttention(state: State, now: number, width: number, height: number): readonly Line[] {
  const list = selectList(state, now);
  const table = getTable('overview');
  if (list.total === 0) {
    const isKnown = state.isComplete && state.connection.state === 'live';
    return [
      isKnown
        ? [
            { text: '  All is well', tone: 'good', bold: true },
            { text: `: ${lowerFirst(table.emptyText)}`, tone: 'good' },
          ]
        : plain('  Reading…', 'dim'),
    ];
  }
  const shown = countAttentionLines(list.rows.length, height);
  const start = getFirstVisible(list.selected, list.rows.length, shown);
  const context = createRenderContext(state, now);
  const rows = list.rows.slice(start, start + shown);
  const layout = layOutRows(table.columns, rows, width, context);
  const more = list.rows.length - rows.length;
  return [
    [
      { text: '  Needs attention', bold: true },
      { text: `  enter shows it${more === 0 ? '' : `; ${String(more)} more with j`}`, tone: 'dim' },
    ],
    ...rows.map((row, index) => renderRow(row, layout, context, { isSelected: start + index === list.selected, isMarked: false, width })),
  ];
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Sections below each other, with empty lines between them as long as everything fits. */
function stack(sections: readonly (readonly Line[])[], height: number): readonly Line[] {
  const lines = sections.reduce((sum, section) => sum + section.length, 0);
  const hasGaps = lines + sections.length - 1 <= height;
  return sections.flatMap((section, at) => (at > 0 && hasGaps ? [[], ...section] : section));
}
