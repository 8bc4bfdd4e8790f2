/** Colors of the 256-color palette that are readable on light and on dark backgrounds: the named ones depend on the terminal's theme. */
export const TONE_COLORS = { good: 'ansi256(28)', bad: 'ansi256(196)', warn: 'ansi256(130)' } as const;
