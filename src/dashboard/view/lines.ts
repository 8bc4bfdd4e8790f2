/** Lines of styled spans, independent of the terminal library. */
import { truncate, truncateCell, pad, measureWidth, wrapText } from '../../cli/output/text-width.ts';
import { sanitize } from '../../platform/terminal-text.ts';
import type { Tone } from './table-types.ts';

export interface Span {
  readonly text: string;
  readonly tone?: Tone;
  readonly bold?: true;
  readonly inverse?: true;
}
export type Line = readonly Span[];

export const plain = (text: string, tone?: Tone): Line => [{ text, ...(tone === undefined ? {} : { tone }) }];

export const measureLine = (line: Line): number => line.reduce((sum, { text }) => sum + measureWidth(text), 0);

/** Sanitized external text in exactly `width` columns. */
export const toCell = (text: string, width: number, right = false): string => pad(truncateCell(sanitize(text), width), width, right);

/** The line in at most `width` columns, with an ellipsis if it was truncated. */
export function truncateLine(line: Line, width: number): Line {
  const kept: Span[] = [];
  let used = 0;
  for (const [index, span] of line.entries()) {
    const room = width - used;
    if (room <= 0) break;
    // A span that fits exactly still needs room for the ellipsis when more text follows.
    const hasMore = line.slice(index + 1).some(({ text }) => text !== '');
    const size = measureWidth(span.text);
    if (size < room || (size === room && !hasMore)) {
      kept.push(span);
      used += size;
    } else {
      kept.push({ ...span, text: size === room ? truncate(`${span.text} `, room) : truncate(span.text, room) });
      break;
    }
  }
  return kept;
}

/** Left and right part of a line; drops the right part if there is no room for both. */
export function justify(left: Line, right: Line, width: number): Line {
  const space = width - measureLine(left) - measureLine(right);
  return space < 2 ? truncateLine(left, width) : [...left, { text: ' '.repeat(space) }, ...right];
}

/** Wraps at spaces if there are any, else anywhere, and keeps the indentation, so that no part of a body is cut off. */
export function breakText(text: string, width: number): readonly string[] {
  if (measureWidth(text) <= width) return [text];
  const indent = /^ */u.exec(text)?.[0].slice(0, Math.floor(width / 2)) ?? '';
  const room = width - indent.length;
  return wrapText(text.trimStart(), room)
    .flatMap((line) => breakLine(line, room))
    .map((line) => indent + line);
}

function breakLine(line: string, width: number): readonly string[] {
  const parts: string[] = [''];
  for (const character of line) {
    const last = parts.length - 1;
    if (measureWidth((parts[last] ?? '') + character) > width) parts.push(character);
    else parts[last] = (parts[last] ?? '') + character;
  }
  return parts;
}

/** Lines beside each other; those on the left in `width` columns. */
export function placeBeside(left: readonly Line[], right: readonly Line[], width: number, gutter: Span): readonly Line[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at): Line => {
    const line = truncateLine(left[at] ?? [], width);
    return [...line, { text: ' '.repeat(width - measureLine(line)) }, gutter, ...(right[at] ?? [])];
  });
}

/** The line with every occurrence of the text inverse, ignoring case. */
export function highlight(line: Line, text: string): Line {
  const found = findText(line, text);
  if (found.length === 0) return line;
  const ends = [...found.flatMap((at) => [at, at + text.length]), toText(line).length];
  return ends.flatMap((end, index) => {
    const part = sliceLine(line, ends[index - 1] ?? 0, end);
    return index % 2 === 0 ? part : part.map((span) => ({ ...span, inverse: true as const }));
  });
}

/** Where the text is, ignoring case. */
export const findText = (line: Line, text: string): readonly number[] =>
  text === '' ? [] : Array.from(toText(line).matchAll(new RegExp(text.replaceAll(SPECIAL, String.raw`\$&`), 'giu')), ({ index }) => index);

const SPECIAL = /[\\^$.*+?()[\]{}|/]/gu;

/** The characters from `start` to `end`, which is not included. */
export function sliceLine(spans: Line, start: number, end: number): Line {
  let at = 0;
  return spans.flatMap((span) => {
    const [first, last] = [Math.max(start - at, 0), end - at];
    at += span.text.length;
    const text = last <= 0 ? '' : span.text.slice(first, last);
    return text === '' ? [] : [{ ...span, text }];
  });
}

export const toText = (line: Line): string => line.map(({ text }) => text).join('');
