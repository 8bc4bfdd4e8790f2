/** Text in the tones of the dashboard, and its width in columns as Ink measures it. */
import cliTruncate from 'cli-truncate';
import { Box, Text } from 'ink';
import { type JSX, type ReactNode, createContext, use } from 'react';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { truncateCell } from '../../cli/output/text-width.ts';
import { sanitize } from '../../platform/terminal-text.ts';
import type { Span, Tone } from '../tables/table.ts';
import { TONE_COLORS } from './colors.ts';

export const ColorsContext = createContext(TONE_COLORS[256]);

interface TextProps {
  readonly tone?: Tone | undefined;
  readonly bold?: boolean | undefined;
  readonly inverse?: boolean | undefined;
  /** A text of a record, or styled texts and texts of ours. */
  readonly children?: ReactNode;
}

/** One line, truncated where there is no room. */
export function T({ tone = 'plain', bold = false, inverse = false, children }: TextProps): JSX.Element {
  const colors = use(ColorsContext);
  const style = tone === 'plain' ? {} : tone === 'dim' ? { dimColor: true } : { color: colors[tone] };
  return (
    <Text wrap="truncate" bold={bold} inverse={inverse} {...style}>
      {typeof children === 'string' ? sanitize(children) : children}
    </Text>
  );
}

/** Neighbors of the same style are one text: fewer nodes and escapes. */
export function Spans({ spans }: { readonly spans: readonly Span[] }): JSX.Element {
  const merged: { text: string; tone: Tone; bold: boolean }[] = [];
  for (const { text, tone = 'plain', bold = false } of spans) {
    const last = merged.at(-1);
    if (last?.tone === tone && last.bold === bold) last.text += text;
    else merged.push({ text, tone, bold });
  }
  return (
    <T>
      {merged.map(({ text, tone, bold }, at) =>
        tone === 'plain' && !bold ? (
          sanitize(text)
        ) : (
          <T key={at} tone={tone} bold={bold}>
            {text}
          </T>
        ),
      )}
    </T>
  );
}

export const toText = (spans: readonly Span[]): string => spans.map(({ text }) => sanitize(text)).join('');

export const measure = (spans: readonly Span[]): number => stringWidth(toText(spans));

/** The first of the variants that fits, else the last one. */
export const pickFitting = (variants: readonly (readonly Span[])[], width: number): readonly Span[] =>
  variants.find((spans) => measure(spans) <= width) ?? variants.at(-1) ?? [];

/** A line with a part at each end. The left one is truncated first. */
export function Ends({ left, right }: { readonly left: readonly Span[]; readonly right: readonly Span[] }): JSX.Element {
  return (
    <Box justifyContent="space-between" height={1}>
      <Spans spans={left} />
      {right.length === 0 ? null : (
        <Box flexShrink={0} marginLeft={2}>
          <Spans spans={right} />
        </Box>
      )}
    </Box>
  );
}

/** The text in exactly `width` columns. URLs and ids are truncated where they say least. */
export function toCell(text: string, width: number, isRight = false): string {
  const cut = truncateCell(sanitize(text), width);
  const shown = stringWidth(cut) > width ? cliTruncate(cut, width) : cut;
  const space = ' '.repeat(Math.max(0, width - stringWidth(shown)));
  return isRight ? space + shown : shown + space;
}

/** Lines of at most `width` columns. Nothing is left out, so that joined they are the text. */
export const wrap = (text: string, width: number): readonly string[] =>
  wrapAnsi(sanitize(text), Math.max(1, width), { hard: true, trim: false }).split('\n');
