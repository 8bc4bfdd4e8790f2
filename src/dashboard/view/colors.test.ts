import { expect, test } from 'vitest';
import { sanitizeOutput } from '../../platform/terminal-text.ts';
import { TONE_COLORS } from './colors.ts';

/** The levels of the color cube of the 256-color palette, which starts at 16. */
const LEVELS = [0, 95, 135, 175, 215, 255];
const CUBE_START = 16;

/** Relative luminance (WCAG 2). */
function getLuminance(color: string): number {
  const index = Number(/^ansi256\((\d+)\)$/u.exec(color)?.[1]) - CUBE_START;
  const [red = 0, green = 0, blue = 0] = [Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6].map((step) => {
    const share = (LEVELS[step] ?? 0) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test.each(Object.entries(TONE_COLORS[256]))('%s is readable on white and on black', (_tone, color) => {
  const luminance = getLuminance(color);
  expect(1.05 / (luminance + 0.05)).toBeGreaterThan(3.9);
  expect((luminance + 0.05) / 0.05).toBeGreaterThan(3.9);
});

test('the 16 colors are named, so that none is derived from the palette as black', () => {
  expect(TONE_COLORS[16]).toEqual({ good: 'green', bad: 'red', warn: 'yellow' });
});

test('every style of a frame survives the cleaning of printed texts', () => {
  const palette = Object.values(TONE_COLORS[256]).map((color) => `38;5;${/\d+/u.exec(color.replace('ansi256', ''))?.[0] ?? ''}`);
  // Green, red and yellow, dim, bold and inverse.
  for (const code of [...palette, '32', '31', '33', '39', '1', '2', '22', '7', '27']) {
    const text = `\u001b[${code}m+ delivered`;
    expect(sanitizeOutput(text)).toBe(text);
  }
});
