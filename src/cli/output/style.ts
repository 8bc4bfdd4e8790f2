/** Colors; never the only carrier of information. */
const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const;
export type Style = keyof typeof CODES;
export type Paint = (style: Style, text: string) => string;

/**
 * Whether `stream` gets colors. `--no-color` takes precedence, then NO_COLOR (https://no-color.org: any non-empty value),
 * then FORCE_COLOR (any value but 0 and false); by default only terminals that are not dumb.
 */
export function shouldUseColor(stream: { isTTY?: boolean }, noColorFlag: boolean, env: NodeJS.ProcessEnv = process.env): boolean {
  if (noColorFlag || (env['NO_COLOR'] ?? '') !== '') return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

export function createPaint(enabled: boolean): Paint {
  if (!enabled) return (_style, text) => text;
  return (style, text) => {
    const [on, off] = CODES[style];
    return text === '' ? '' : `\u001b[${String(on)}m${text}\u001b[${String(off)}m`;
  };
}

const DEFAULT_WIDTH = 80;

/** Returns the width of a terminal; a default if the terminal reports 0, as in many containers and CI runners. */
export const getTerminalWidth = ({ columns }: { readonly columns: number }): number => (columns > 0 ? columns : DEFAULT_WIDTH);
