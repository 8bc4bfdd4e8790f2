/** JSON with its strings, numbers and punctuation in different colors. */
import { sanitize } from '../../platform/terminal-text.ts';
import { formatJson } from '../tables/format.ts';
import type { Span } from '../tables/table.ts';
import { wrap } from './text.tsx';

/** A name, a string, a number or word, or anything else. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)|[^"\w-]+|./gu;

export interface IndentedLine {
  readonly indent: number;
  readonly spans: readonly Span[];
}

export function listJsonLines(text: string, width: number): readonly IndentedLine[] {
  const formatted = formatJson(text);
  const isJson = formatted !== text || /^\s*[[{]/u.test(text);
  return formatted.split('\n').flatMap((line): readonly IndentedLine[] => {
    const indent = Math.min(/^ */u.exec(line)?.[0].length ?? 0, Math.floor(width / 2));
    const content = sanitize(line.slice(indent));
    const parts = wrap(content, width - indent);
    if (!isJson) return parts.map((part) => ({ indent, spans: [{ text: part }] }));
    return cutSpans(colorLine(content), parts).map((spans) => ({ indent, spans }));
  });
}

const colorLine = (line: string): readonly Span[] =>
  Array.from(line.matchAll(TOKEN)).flatMap(([whole, text, colon, word]): Span[] => {
    if (text === undefined) return [{ text: whole, tone: word === undefined ? 'dim' : 'warn' }];
    return colon === undefined
      ? [{ text, tone: 'good' }]
      : [
          { text, tone: 'plain' },
          { text: colon, tone: 'dim' },
        ];
  });

/** The spans as the parts of their text. */
function cutSpans(spans: readonly Span[], parts: readonly string[]): readonly (readonly Span[])[] {
  if (parts.length === 1) return [spans];
  let end = 0;
  return parts.map((part) => {
    const start = end;
    end += part.length;
    return sliceSpans(spans, start, end);
  });
}

function sliceSpans(spans: readonly Span[], start: number, end: number): readonly Span[] {
  let at = 0;
  return spans.flatMap((span) => {
    const text = span.text.slice(Math.max(0, start - at), Math.max(0, end - at));
    at += span.text.length;
    return text === '' ? [] : [{ ...span, text }];
  });
}
