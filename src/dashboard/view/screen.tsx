/** The whole screen: header and tabs, a list, the overview or an overlay, and the status line. */
import { Box, Text } from 'ink';
import type { JSX } from 'react';
import { sanitize } from '../../platform/terminal-text.ts';
import { getOpenOverlay, getOverlayTitle } from '../details/overlay.ts';
import type { AnyRow, OpenOverlay, State } from '../state/model.ts';
import { formatCount } from '../tables/format.ts';
import { getTable } from '../tables/index.ts';
import { describeFailing, getFigures, selectList } from '../tables/selectors.ts';
import { createRenderContext, getColumnLabel } from '../tables/table.ts';
import { TONE_COLORS, type ToneColors } from './colors.ts';
import { Document } from './document.tsx';
import { Header } from './header.tsx';
import { MIN_SIZE, type Size, getBodyHeight, listOverlayLines } from './layout.ts';
import { ListPane } from './list.tsx';
import { Overview } from './overview.tsx';
import { StatusLine } from './status-line.tsx';
import { ColorsContext, Ends } from './text.tsx';

interface ScreenProps {
  readonly state: State;
  readonly now: number;
  readonly size: Size;
  /** By default those of 256 colors. */
  readonly colors?: ToneColors;
}

export function Screen({ state, now, size, colors = TONE_COLORS[256] }: ScreenProps): JSX.Element {
  const { columns: width, rows } = size;
  if (width < MIN_SIZE.columns || rows < MIN_SIZE.rows) return <TooSmall {...size} />;
  const height = getBodyHeight(state, size);
  const overlay = getOpenOverlay(state);
  return (
    <ColorsContext value={colors}>
      <Box flexDirection="column" width={width} height={rows} overflow="hidden">
        <Header state={state} now={now} width={width} />
        <Box flexDirection="column" height={height} flexShrink={0} overflow="hidden">
          {overlay === null ? (
            state.ui.tab === 'overview' ? (
              <Overview {...{ state, now, width, height }} />
            ) : (
              <ListPane {...{ state, now, width, height, size }} />
            )
          ) : (
            <OverlayPane {...{ state, overlay, now, width, height }} />
          )}
        </Box>
        <StatusLine state={state} now={now} width={width} />
      </Box>
    </ColorsContext>
  );
}

const TooSmall = ({ columns, rows }: Size): JSX.Element => (
  <Box width={columns} height={rows} overflow="hidden">
    <Text>{`The dashboard needs ${String(MIN_SIZE.columns)}x${String(MIN_SIZE.rows)}; this terminal has ${String(columns)}x${String(rows)}. Press q to quit.`}</Text>
  </Box>
);

interface OverlayProps {
  readonly state: State;
  readonly overlay: OpenOverlay;
  readonly now: number;
  readonly width: number;
  readonly height: number;
}

function OverlayPane({ state, overlay, now, width, height }: OverlayProps): JSX.Element {
  const lines = listOverlayLines(state, overlay, now, width);
  const room = height - 1;
  const start = Math.min(overlay.scroll, Math.max(0, lines.length - room));
  const end = Math.min(lines.length, start + room);
  const position = lines.length > room ? `${String(start + 1)}–${String(end)} of ${String(lines.length)}` : '';
  return (
    <>
      <Ends left={[{ text: getOverlayTitle(overlay), bold: true }]} right={[{ text: position, tone: 'dim' }]} />
      <Document lines={lines.slice(start, end)} search={state.ui.search?.text ?? ''} />
    </>
  );
}

/** For a screen reader: the status in sentences, and the selected row instead of a table. */
export function ScreenReaderView(props: ScreenProps): JSX.Element {
  const { state, now } = props;
  const { overlay, tab, notice, filterInput } = state.ui;
  const list = selectList(state, now);
  const { failing, disabled } = getFigures(state, now);
  const place = list.rows.length === 0 ? 'nothing' : `${String(list.selected + 1)} of ${formatCount(list.rows.length, 'row')}`;
  const health =
    failing.length > 0
      ? describeFailing(failing)
      : state.unavailable.endpoints === undefined
        ? state.isComplete
          ? 'No endpoint failing'
          : 'Reading'
        : 'Endpoints not available';
  const isOpen = overlay !== null || filterInput !== null;
  return (
    <Box flexDirection="column">
      <Text>{`${getTable(tab).title}, ${place}. ${state.connection.state}. ${health}${disabled > 0 ? `, ${String(disabled)} disabled` : ''}.`}</Text>
      {notice ? <Text>{sanitize(notice.text)}</Text> : null}
      {isOpen ? <Screen {...props} /> : <Text>{sanitize(describeRow(list.rows[list.selected], state, now))}</Text>}
    </Box>
  );
}

const SPOKEN_WIDTH = 80;

/** The selected row as one sentence, without columns that are drawings. */
function describeRow(row: AnyRow | undefined, state: State, now: number): string {
  const { columns, emptyText } = getTable(state.ui.tab);
  if (!row) return emptyText;
  const context = createRenderContext(state, now);
  return columns
    .filter(({ grow }) => grow === undefined)
    .map((column) => [getColumnLabel(column, context).toLowerCase(), column.text(row, context, SPOKEN_WIDTH).replace(/^[+x~·-] /u, '')])
    .filter(([, text]) => text !== '')
    .map((pair) => pair.join(' '))
    .join(', ');
}
