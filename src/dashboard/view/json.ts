/** JSON with its strings, numbers and punctuation in different colors. */
import { sanitize } from '../../platform/terminal-text.ts';
import { type Line, type Span, breakText, plain, sliceLine } from './lines.ts';
import type { Tone } from './table-types.ts';

/** A name, a string, a number or word, or anything else. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)|[^"\w-]+|./gu;

/** Indents JSON; returns other text unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

export function renderJson(text: string, width: number): readonly Line[] {
  const formatted = formatJson(text);
  const lines = formatted.split('\n').map((line) => sanitize(line));
  if (formatted === text && !/^\s*[[{]/u.test(text)) return lines.flatMap((line) => breakText(line, width).map((part) => plain(part)));
  return lines.flatMap((line) => cutLine(colorLine(line), breakText(line, width)));
}

const colorLine = (line: string): readonly Span[] =>
  Array.from(line.matchAll(TOKEN)).flatMap(([whole, text, colon, word]): Span[] => {
    if (text === undefined) return [toSpan(whole, word === undefined ? 'dim' : 'warn')];
    return colon === undefined ? [toSpan(text, 'good')] : [toSpan(text, 'plain'), toSpan(colon, 'dim')];
  });

const toSpan = (text: string, tone: Tone): Span => ({ text, tone });

/** The spans of a line as its `parts`, which are in it one after the other, each after an indentation. */
function cutLine(spans: readonly Span[], parts: readonly string[]): readonly Line[] {
  if (parts.length <= 1) return [spans];
  const text = spans.map((span) => span.text).join('');
  let from = 0;
  return parts.map((part): Line => {
    const content = part.trimStart();
    const start = Math.max(from, text.indexOf(content, from));
    from = start + content.length;
    return [{ text: part.slice(0, part.length - content.length) }, ...sliceLine(spans, start, from)];
  });
}
