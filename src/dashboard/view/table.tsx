/** A table whose columns are data. The selected row is inverse over the whole width; signs mark it without styles. */
import { Box } from 'ink';
import type { JSX } from 'react';
import type { Sorting } from '../state/model.ts';
import { type Column, type RenderContext, type Span, getColumnLabel } from '../tables/table.ts';
import { GAP, type PlacedColumn, layOutRows } from './columns.ts';
import { Spans, T, toCell, toText } from './text.tsx';

interface TableProps<R> {
  readonly columns: readonly Column<R>[];
  /** Those that are visible. */
  readonly rows: readonly R[];
  readonly width: number;
  readonly context: RenderContext;
  readonly hasTitles?: boolean;
  readonly sorting?: Sorting | null;
  readonly isSelected?: (row: R) => boolean;
  readonly isMarked?: (row: R) => boolean;
}

export function Table<R>({ columns, rows, width, context, hasTitles = true, sorting = null, ...is }: TableProps<R>): JSX.Element {
  const layout = layOutRows(columns, rows, width, context);
  return (
    <Box flexDirection="column" width={width} flexShrink={0}>
      {hasTitles ? <Spans spans={listTitles(layout, context, sorting)} /> : null}
      {rows.map((row, at) => {
        const mark = `${is.isSelected?.(row) ? '>' : ' '}${is.isMarked?.(row) ? '*' : ' '}`;
        const spans = [{ text: mark }, ...listCells(row, layout, context)];
        // Rows move through the lines of the screen, so that a line has no identity besides its place.
        return is.isSelected?.(row) ? <Selected key={at} text={toText(spans)} width={width} /> : <Spans key={at} spans={spans} />;
      })}
    </Box>
  );
}

const Selected = ({ text, width }: { readonly text: string; readonly width: number }): JSX.Element => (
  <T bold inverse>
    {toCell(text, width)}
  </T>
);

const getGap = (place: number): string => (place === 0 ? '' : ' '.repeat(GAP));

export const listTitles = <R,>(layout: readonly PlacedColumn<R>[], context: RenderContext, sorting: Sorting | null): readonly Span[] => [
  { text: '  ' },
  ...layout.map(({ column, width }, place): Span => {
    const text = getGap(place) + toCell(getColumnLabel(column, context), width, column.right);
    return column.title === sorting?.by ? { text, bold: true } : { text, tone: 'dim' };
  }),
];

export const listCells = <R,>(row: R, layout: readonly PlacedColumn<R>[], context: RenderContext): readonly Span[] =>
  layout.map(({ column, width }, place) => ({
    text: getGap(place) + toCell(column.text(row, context, width), width, column.right),
    tone: column.tone?.(row, context) ?? 'plain',
  }));
