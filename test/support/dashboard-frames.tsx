/** Frames of the dashboard as Ink draws them. */
import { stripVTControlCharacters } from 'node:util';
import chalk from 'chalk';
import { renderToString } from 'ink';
import type { State } from '../../src/dashboard/state/model.ts';
import type { Size } from '../../src/dashboard/view/layout.ts';
import { Screen } from '../../src/dashboard/view/screen.tsx';
import { NOW } from './dashboard-states.ts';

// Ink styles with it.
chalk.level = 2;

const drawn = new WeakMap<State, Map<string, string[]>>();

/** Every line of the screen, with its styles. Tests share frames, which cost the most. */
export function drawStyled(state: State, size: Size): string[] {
  const frames = drawn.get(state) ?? new Map<string, string[]>();
  drawn.set(state, frames);
  const key = `${String(size.columns)}x${String(size.rows)}`;
  const frame = frames.get(key) ?? renderToString(<Screen state={state} now={NOW} size={size} />, { columns: size.columns }).split('\n');
  frames.set(key, frame);
  return frame;
}

/** Every line of the screen, without styles. */
export const drawLines = (state: State, size: Size): string[] =>
  drawStyled(state, size).map((line) => stripVTControlCharacters(line).trimEnd());

export const draw = (state: State, size: Size): string => drawLines(state, size).join('\n');

/** What is inverse in each line that has something inverse. */
export const drawInverse = (state: State, size: Size): string[] =>
  drawStyled(state, size).flatMap((line) => {
    // oxlint-disable-next-line eslint/no-control-regex
    const found = Array.from(line.matchAll(/\u001b\[7m([^]*?)\u001b\[27m/gu), ([, text]) => stripVTControlCharacters(text ?? ''));
    return found.length === 0 ? [] : [found.join('|')];
  });
