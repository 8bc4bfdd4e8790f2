/** Replaces the characters that the dashboard draws with by those of ASCII, of the same width. Texts of records stay as they are. */
import type { Line } from './lines.ts';

const REPLACEMENTS: Readonly<Record<string, string>> = {
  '▁': '_',
  '▂': '_',
  '▃': '-',
  '▄': '-',
  '▅': '=',
  '▆': '=',
  '▇': '#',
  '█': '#',
  '│': '|',
  '…': '~',
  '–': '-',
  '·': '-',
  '→': '>',
  '←': '<',
  '’': "'",
};
const DRAWN = new RegExp(`[${Object.keys(REPLACEMENTS).join('')}]`, 'gu');

export const toAscii = (text: string): string => text.replaceAll(DRAWN, (character) => REPLACEMENTS[character] ?? character);

export const toAsciiLine = (line: Line): Line => line.map((span) => ({ ...span, text: toAscii(span.text) }));
