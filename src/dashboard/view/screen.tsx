/** Renders a frame with Ink. */
import { Box, Text } from 'ink';
import type { JSX } from 'react';
import { renderFrame, describeRow } from './frame.ts';
import type { Size } from './list.ts';
import { toAsciiLine } from './ascii.ts';
import type { Line } from './lines.ts';
import type { State } from '../state/model.ts';
import { describeFailing, getFigures, selectList } from './selectors.ts';
import type { Tone } from './table-types.ts';
import { getTable } from './tables.ts';
import { TONE_COLORS, type ToneColors } from './colors.ts';
import { formatCount } from './format.ts';
import { sanitize } from '../../platform/terminal-text.ts';

interface ScreenProps {
  readonly state: State;
  readonly now: number;
  readonly size: Size;
  /** By default those of 256 colors. */
  readonly colors?: ToneColors;
  /** Draws with characters of ASCII only. */
  readonly isAscii?: boolean;
}

const getStyle = (tone: Tone, colors: ToneColors): { readonly color?: string; readonly dimColor?: true } =>
  tone === 'plain' ? {} : tone === 'dim' ? { dimColor: true } : { color: colors[tone] };

/** As large as the terminal, but no taller than its lines: Ink treats an empty last line as the end of the previous one and would not clear it. */
export function Screen({ state, now, size, colors = TONE_COLORS[256], isAscii = false }: ScreenProps): JSX.Element {
  const drawn = renderFrame(state, now, size);
  const lines = isAscii ? drawn.map(toAsciiLine) : drawn;
  return (
    <Box flexDirection="column" width={size.columns} height={lines.length} overflow="hidden">
      {lines.map((line, index) => (
        // Lines have no identity besides their index.
        <LineText key={index} line={line} colors={colors} />
      ))}
    </Box>
  );
}

function LineText({ line, colors }: { readonly line: Line; readonly colors: ToneColors }): JSX.Element {
  return (
    <Text wrap="truncate">
      {line.every(({ text }) => text === '')
        ? ' '
        : line.map(({ text, tone = 'plain', bold = false, inverse = false }, index) =>
            tone === 'plain' && !bold && !inverse ? (
              text
            ) : (
              <Text key={index} bold={bold} inverse={inverse} {...getStyle(tone, colors)}>
                {text}
              </Text>
            ),
          )}
    </Text>
  );
}

/** For a screen reader: the status in sentences, and the selected row instead of a table. */
export function ScreenReaderView(props: ScreenProps): JSX.Element {
  const { state, now } = props;
  const { overlay, tab, notice, filterInput: draft } = state.ui;
  const list = selectList(state, now);
  const { failing, disabled } = getFigures(state, now);
  const place = list.rows.length === 0 ? 'nothing' : `${String(list.selected + 1)} of ${formatCount(list.rows.length, 'row')}`;
  const open = overlay !== null || draft !== null;
  return (
    <Box flexDirection="column">
      <Text>{`${getTable(tab).title}, ${place}. ${state.connection.state}. ${failing.length === 0 ? (state.isComplete ? 'No endpoint failing' : 'Reading') : describeFailing(failing)}${disabled > 0 ? `, ${String(disabled)} disabled` : ''}.`}</Text>
      {notice ? <Text>{sanitize(notice.text)}</Text> : null}
      {open ? <Screen {...props} /> : <Text>{sanitize(describeRow(list.rows[list.selected], state, now))}</Text>}
    </Box>
  );
}
