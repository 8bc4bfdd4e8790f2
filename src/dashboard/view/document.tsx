/** Details, questions and help as lines, of which the visible ones are drawn. */
import { Box } from 'ink';
import type { JSX } from 'react';
import stringWidth from 'string-width';
import { formatHeader, formatRow, layOutTable } from '../../cli/output/table.ts';
import { sanitize } from '../../platform/terminal-text.ts';
import type { Part } from '../details/parts.ts';
import type { RenderContext, Span, Tone } from '../tables/table.ts';
import { layOutRows } from './columns.ts';
import { listJsonLines } from './json.ts';
import { listCells, listTitles } from './table.tsx';
import { Spans, T, toText, wrap } from './text.tsx';

/** A line is one line high: `label` in a column of its own, and the rest indented. */
export interface DocumentLine {
  readonly label?: string;
  readonly indent?: number;
  readonly spans: readonly Span[];
}

const LABEL_WIDTH = 16;
const LABEL_GAP = 2;
const VALUE_MIN_WIDTH = 10;

export function listLines(parts: readonly Part[], context: RenderContext, width: number): readonly DocumentLine[] {
  const labels = parts.map((part) => ('length' in part ? stringWidth(sanitize(part[0])) + LABEL_GAP : 0));
  const labelWidth = Math.max(LABEL_WIDTH, ...labels);
  return parts.flatMap((part) => toLines(part, context, width, labelWidth));
}

function toLines(part: Part, context: RenderContext, width: number, labelWidth: number): readonly DocumentLine[] {
  if ('spans' in part) return [part];
  if ('head' in part)
    return [
      { spans: [] },
      ...wrapText(part.head, width).map(({ spans }) => ({ spans: spans.map((span) => ({ ...span, bold: true as const })) })),
    ];
  if ('text' in part) return part.text.split('\n').flatMap((line) => wrapText(line, width, part.indent, part.tone));
  if ('json' in part) return listJsonLines(part.json, width);
  if ('columns' in part) {
    const layout = layOutRows(part.columns, part.rows, width, context);
    const rows = part.rows.map((row) => ({ indent: 2, spans: listCells(row, layout, context) }));
    return [{ spans: listTitles(layout, context, null) }, ...rows];
  }
  if ('records' in part) {
    // Columns that do not fit are hidden.
    const layout = layOutTable(part.paths, part.records, {
      terminalWidth: width,
      keepAll: false,
      tenantCurrency: context.currency,
      namesCurrency: false,
    });
    const rows = part.records.map((row) => ({ spans: [{ text: formatRow(layout, row) }] }));
    return [{ spans: [{ text: formatHeader(layout, (_style, text) => text), tone: 'dim' }] }, ...rows];
  }
  const [label, value] = part;
  return wrapText(value, Math.max(VALUE_MIN_WIDTH, width - labelWidth)).map(({ spans }, at) => ({
    label: (at === 0 ? sanitize(label) : '').padEnd(labelWidth),
    spans,
  }));
}

const wrapText = (text: string, width: number, indent = 0, tone: Tone = 'plain'): readonly DocumentLine[] =>
  wrap(text, width - indent).map((line) => ({ indent, spans: [{ text: line, tone }] }));

const getText = ({ label = '', indent = 0, spans }: DocumentLine): string => label + ' '.repeat(indent) + toText(spans);

/** The lines that have the text, ignoring case. */
export const findLines = (lines: readonly DocumentLine[], text: string): readonly number[] =>
  lines.flatMap((line, at) => (findText(getText(line), text).length > 0 ? [at] : []));

/** Where the text is. */
const findText = (line: string, text: string): readonly number[] =>
  text === '' ? [] : Array.from(line.matchAll(new RegExp(text.replaceAll(SPECIAL, String.raw`\$&`), 'giu')), ({ index }) => index);

const SPECIAL = /[\\^$.*+?()[\]{}|/]/gu;

interface DocumentProps {
  readonly lines: readonly DocumentLine[];
  /** What is looked for; empty for nothing. */
  readonly search?: string;
}

export const Document = ({ lines, search = '' }: DocumentProps): JSX.Element => (
  <Box flexDirection="column">
    {lines.map((line, at) => (
      // A line has no identity besides its place.
      <Box key={at} height={1}>
        <Line line={line} search={search} />
      </Box>
    ))}
  </Box>
);

function Line({ line, search }: { readonly line: DocumentLine; readonly search: string }): JSX.Element {
  const text = getText(line);
  const found = findText(text, search);
  if (found.length > 0) return <Found text={text} starts={found} length={search.length} />;
  const { label, indent = 0, spans } = line;
  return (
    <>
      {label === undefined ? null : (
        <Box flexShrink={0}>
          <T tone="dim">{label}</T>
        </Box>
      )}
      <Box paddingLeft={indent}>
        <Spans spans={spans} />
      </Box>
    </>
  );
}

/** The text with what was found inverse, instead of its colors. */
const Found = ({
  text,
  starts,
  length,
}: {
  readonly text: string;
  readonly starts: readonly number[];
  readonly length: number;
}): JSX.Element => (
  <T>
    {starts.flatMap((start, at) => [
      text.slice(at === 0 ? 0 : (starts[at - 1] ?? 0) + length, start),
      <T key={start} inverse>
        {text.slice(start, start + length)}
      </T>,
    ])}
    {text.slice((starts.at(-1) ?? 0) + length)}
  </T>
);
