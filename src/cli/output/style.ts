/** Colors; never the only carrier of information. */
import { styleText } from 'node:util';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

/**
 * Whether `stream` gets colors. `--no-color` takes precedence, then NO_COLOR (https://no-color.org: any non-empty value),
 * then FORCE_COLOR (any value but 0 and false); by default only terminals that interpret escape sequences.
 */
export function shouldUseColor(stream: { isTTY?: boolean }, noColorFlag: boolean, env: NodeJS.ProcessEnv = process.env): boolean {
  if (noColorFlag || (env['NO_COLOR'] ?? '') !== '') return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  return stream.isTTY === true && explainDumbTerminal(env) === null;
}

/** Why a terminal is expected to print escape sequences instead of interpreting them; null if it is not. Windows sets no TERM. */
export function explainDumbTerminal(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string | null {
  const term = env['TERM'] ?? '';
  if (term === '') return platform === 'win32' ? null : 'TERM is not set';
  return term === 'dumb' ? 'TERM is "dumb"' : null;
}

/** Bits of a color from which a terminal has 256 colors. */
const DEPTH_OF_256 = 8;

/** How many colors a terminal that gets colors has, by its environment. */
export function countColors(env: NodeJS.ProcessEnv): 16 | 256 {
  // Node knows this suffix only of xterm.
  if (env['FORCE_COLOR'] === undefined && /-256(?:color)?$/u.test(env['TERM'] ?? '')) return 256;
  // Inside tmux Node assumes 16 million colors, whatever tmux says in TERM and COLORTERM.
  const { TMUX: _, ...rest } = env;
  const { WriteStream } = process.getBuiltinModule('node:tty');
  return WriteStream.prototype.getColorDepth(rest) >= DEPTH_OF_256 ? 256 : 16;
}

export const createPaint =
  (enabled: boolean): Paint =>
  (style, text) =>
    enabled && text !== '' ? styleText(style, text, { validateStream: false }) : text;

const DEFAULT_WIDTH = 80;

/** Returns the width of a terminal; a default if the terminal reports 0, as in many containers and CI runners. */
export const getTerminalWidth = ({ columns }: { readonly columns: number }): number => (columns > 0 ? columns : DEFAULT_WIDTH);
