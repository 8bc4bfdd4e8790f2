/** A frame on the terminal. */
import { Box, Text } from 'ink';
import type { JSX } from 'react';
import { type Size, frameOf, spoken } from './frame.ts';
import type { Line } from './lines.ts';
import type { State } from './model.ts';
import { figuresOf, listed } from './select.ts';
import { type Tone, tableOf } from './tables.ts';
import { counted } from './words.ts';

const COLORS: Readonly<Record<Exclude<Tone, 'plain'>, { readonly color?: string; readonly dimColor?: true }>> = {
  good: { color: 'green' },
  bad: { color: 'red' },
  warn: { color: 'yellow' },
  dim: { dimColor: true },
};

/** As large as the terminal, and no higher than its lines: Ink takes an empty last line for the end of the one before, and would leave there what stood there. */
export function Screen({ state, now, size }: { readonly state: State; readonly now: number; readonly size: Size }): JSX.Element {
  const lines = frameOf(state, now, size);
  return (
    <Box flexDirection="column" width={size.columns} height={lines.length} overflow="hidden">
      {lines.map((line, index) => (
        // Lines have no identity beside their place.
        <LineText key={index} line={line} />
      ))}
    </Box>
  );
}

function LineText({ line }: { readonly line: Line }): JSX.Element {
  return (
    <Text wrap="truncate">
      {line.length === 0
        ? ' '
        : line.map(({ text, tone = 'plain', bold = false, inverse = false }, index) =>
            tone === 'plain' && !bold && !inverse ? (
              text
            ) : (
              <Text key={index} bold={bold} inverse={inverse} {...(tone === 'plain' ? {} : COLORS[tone])}>
                {text}
              </Text>
            ),
          )}
    </Text>
  );
}

/** The same for a screen reader: what matters in sentences, and the selected row instead of a grid. */
export function Spoken({ state, now, size }: { readonly state: State; readonly now: number; readonly size: Size }): JSX.Element {
  const { overlay, tab, notice, draft } = state.ui;
  const list = listed(state, now);
  const { failing, disabled } = figuresOf(state, now);
  const place = list.rows.length === 0 ? 'nothing' : `${String(list.selected + 1)} of ${counted(list.rows.length, 'row')}`;
  const open = overlay !== null || draft !== null;
  return (
    <Box flexDirection="column">
      <Text>{`${tableOf(tab).title}, ${place}. ${state.connection.state}. ${counted(failing, 'endpoint')} failing${disabled > 0 ? `, ${String(disabled)} disabled` : ''}.`}</Text>
      {notice ? <Text>{notice.text}</Text> : null}
      {open ? <Screen state={state} now={now} size={size} /> : <Text>{spoken(list.rows[list.selected], state, now)}</Text>}
    </Box>
  );
}
