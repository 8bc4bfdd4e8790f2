/** On a wide screen, the details of the selected row beside the list. */
import type { AnyRow, DataTab, State } from '../state/model.ts';
import { getTitle, renderDetail } from './detail.ts';
import { type Line, placeBeside, plain, truncateLine } from './lines.ts';
import { SPLIT_COLUMNS, type Size, countFooterLines, renderList } from './list.ts';
import { selectList } from './selectors.ts';
import { createRenderContext } from './table-types.ts';

/** Leaves 36 columns, which an id takes, for values. */
const LIST_SHARE = 0.54;
const DIVIDER = ' │ ';

export interface Selected {
  readonly tab: DataTab;
  readonly row: AnyRow;
}

/** The row whose details are beside the list; null while there are none. Lists with details below them have no others. */
export function getPreviewed(state: State, now: number, size: Size): Selected | null {
  const { columns } = size;
  const { tab, isSplit, overlay } = state.ui;
  if (!isSplit || columns < SPLIT_COLUMNS || tab === 'overview' || (overlay !== null && 'scroll' in overlay)) return null;
  if (countFooterLines(state, size) > 0) return null;
  const { rows, selected } = selectList(state, now);
  const row = rows[selected];
  return row === undefined ? null : { tab, row };
}

/** The list alone, or with the details of the selected row. `height`: rows of the list. */
export function renderListWithDetails(state: State, now: number, size: Size, height: number): readonly Line[] {
  const previewed = getPreviewed(state, now, size);
  if (previewed === null) return renderList(state, now, size.columns, height, countFooterLines(state, size));
  const listWidth = Math.round(size.columns * LIST_SHARE);
  const list = renderList(state, now, listWidth, height, 0);
  const details = renderPreview(state, now, previewed, { columns: size.columns - listWidth - DIVIDER.length, rows: list.length });
  return placeBeside(list, details, listWidth, { text: DIVIDER, tone: 'dim' });
}

function renderPreview(state: State, now: number, { tab, row }: Selected, { columns, rows }: Size): readonly Line[] {
  const { preview } = state.ui;
  const detail = { kind: 'detail', tab, row, content: preview?.id === row.id ? preview.content : null, scroll: 0 } as const;
  const lines = renderDetail(detail, createRenderContext(state, now), columns);
  const title: Line = [{ text: getTitle(detail), bold: true }];
  const hidden = lines.length - (rows - 1);
  const shown = hidden <= 0 ? lines : [...lines.slice(0, rows - 2), plain(`${String(hidden + 1)} more lines: enter`, 'dim')];
  return [title, ...shown].map((line) => truncateLine(line, columns));
}
