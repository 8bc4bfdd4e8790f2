/** How much of the screen each part takes, which follows from the state: keys that page and scroll need it, too. */
import { getOpenOverlay, listOverlayParts } from '../details/overlay.ts';
import type { AnyRow, DataTab, OpenOverlay, State } from '../state/model.ts';
import { selectList } from '../tables/selectors.ts';
import { createRenderContext } from '../tables/table.ts';
import { type DocumentLine, findLines, listLines } from './document.tsx';
import { listBanners } from './header.tsx';
import { countStatusLines } from './status-line.tsx';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export const MIN_SIZE: Size = { columns: 60, rows: 15 };
/** From this width on, a list and the details of a row have room beside each other. */
const SPLIT_COLUMNS = 120;
/** Leaves 36 columns, which an id takes, beside the longest label, and the divider. */
const DETAIL_COLUMNS = 56;
/** Beside details a list is as wide as on a screen of this width, where possible. */
const LIST_COLUMNS = 80;
const LIST_SHARE = 0.53;
/** Service, figures and tabs. */
const HEADER_LINES = 3;
/** The titles of columns, or the title of an overlay. */
const TITLE_LINES = 1;
const CAPABILITY_LINES = 4;
const COMMAND_LINES = 4;
const TALL_ROWS = 30;

/** The lines between the tabs and the status line. */
export const getBodyHeight = (state: State, { columns, rows }: Size): number =>
  Math.max(1 + TITLE_LINES, rows - listBanners(state).length - HEADER_LINES - countStatusLines(state, columns));

/** Lines below the list: requests by capability, or the command for the selected item. */
export function countFooterLines({ ui }: State, { columns, rows }: Size): number {
  if (ui.tab === 'limits') return CAPABILITY_LINES + (rows > TALL_ROWS ? CAPABILITY_LINES : 0);
  // The details beside the list have the command.
  return ui.tab === 'items' && !(ui.isSplit && columns >= SPLIT_COLUMNS) ? COMMAND_LINES : 0;
}

export interface Selected {
  readonly tab: DataTab;
  readonly row: AnyRow;
}

/** The row whose details are beside the list; null while there are none. Lists with lines below them have no others. */
export function getPreviewed(state: State, now: number, size: Size): Selected | null {
  const { tab, isSplit } = state.ui;
  if (!isSplit || size.columns < SPLIT_COLUMNS || tab === 'overview' || getOpenOverlay(state) !== null) return null;
  if (countFooterLines(state, size) > 0) return null;
  const { rows, selected } = selectList(state, now);
  const row = rows[selected];
  return row === undefined ? null : { tab, row };
}

/** The columns of a list beside the details of a row. */
export const getSplitListWidth = (columns: number): number =>
  Math.max(Math.min(LIST_COLUMNS, columns - DETAIL_COLUMNS), Math.round(columns * LIST_SHARE));

export const listOverlayLines = (state: State, overlay: OpenOverlay, now: number, columns: number): readonly DocumentLine[] => {
  const context = createRenderContext(state, now);
  return listLines(listOverlayParts(state, overlay, context, columns), context, columns);
};

/** What `handleKey` needs to know about the frame: the number of visible rows, of lines in an open overlay, and those that match its search. */
export function getViewport(state: State, now: number, size: Size) {
  const height = getBodyHeight(state, size) - TITLE_LINES;
  const overlay = getOpenOverlay(state);
  if (overlay === null) return { now, height: Math.max(1, height - countFooterLines(state, size)), lines: 0, matches: [] };
  const lines = listOverlayLines(state, overlay, now, size.columns);
  return { now, height, lines: lines.length, matches: findLines(lines, state.ui.search?.text ?? '') };
}
