/** The colors of tones by the number of colors of the terminal. */
export type ColorCount = 16 | 256;

export interface ToneColors {
  readonly good: string;
  readonly bad: string;
  readonly warn: string;
}

export const TONE_COLORS: Readonly<Record<ColorCount, ToneColors>> = {
  // Of the 256-color palette, because the terminal's theme decides what the 16 are: readable on light and on dark backgrounds.
  256: { good: 'ansi256(28)', bad: 'ansi256(196)', warn: 'ansi256(130)' },
  16: { good: 'green', bad: 'red', warn: 'yellow' },
};
