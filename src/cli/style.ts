/** Colour, when the reader wants it: never the only bearer of a meaning. */
const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const;
export type Style = keyof typeof CODES;
export type Paint = (style: Style, text: string) => string;

/**
 * Whether escape codes may go to `stream`. `--no-color` wins, then NO_COLOR (https://no-color.org: any non-empty value),
 * then FORCE_COLOR (anything but 0 and false), then: only a terminal that is not dumb.
 */
export function wantsColor(stream: { isTTY?: boolean }, noColorFlag: boolean, env: NodeJS.ProcessEnv = process.env): boolean {
  if (noColorFlag || (env['NO_COLOR'] ?? '') !== '') return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

export function painter(enabled: boolean): Paint {
  if (!enabled) return (_style, text) => text;
  return (style, text) => {
    const [on, off] = CODES[style];
    return text === '' ? '' : `\u001b[${String(on)}m${text}\u001b[${String(off)}m`;
  };
}

const COLUMNS_UNKNOWN = 80;

/** Columns of a terminal, also of one that nobody has told its size, as in many containers and CI runners. */
export const columnsOf = ({ columns }: { readonly columns: number }): number => (columns > 0 ? columns : COLUMNS_UNKNOWN);
