/** A frame as lines of spans: what stands where, before any terminal library. */
import { fit, pad, visible, widthOf } from '../cli/width.ts';
import type { Tone } from './tables.ts';

export interface Span {
  readonly text: string;
  readonly tone?: Tone;
  readonly bold?: true;
  readonly inverse?: true;
}
export type Line = readonly Span[];

export const plain = (text: string, tone?: Tone): Line => [{ text, ...(tone === undefined ? {} : { tone }) }];

export const lineWidth = (line: Line): number => line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** What came from outside, harmless and in exactly `width` columns. */
export const cell = (text: string, width: number, right = false): string => pad(fit(visible(text), width), width, right);

/** The line in at most `width` columns, with an ellipsis where it was cut. */
export function cut(line: Line, width: number): Line {
  const kept: Span[] = [];
  let used = 0;
  for (const [index, span] of line.entries()) {
    const room = width - used;
    if (room <= 0) break;
    // Only the end of the line may be cut in the middle of a span; a span that just fits needs room for the ellipsis when more follows.
    const more = line.slice(index + 1).some(({ text }) => text !== '');
    const size = widthOf(span.text);
    if (size < room || (size === room && !more)) {
      kept.push(span);
      used += size;
    } else {
      kept.push({ ...span, text: size === room ? fit(`${span.text} `, room) : fit(span.text, room) });
      break;
    }
  }
  return kept;
}

/** Both ends of a line; the right one gives way when there is not room for both. */
export function ends(left: Line, right: Line, width: number): Line {
  const space = width - lineWidth(left) - lineWidth(right);
  return space < 2 ? cut(left, width) : [...left, { text: ' '.repeat(space) }, ...right];
}

export const textOf = (line: Line): string => line.map(({ text }) => text).join('');
