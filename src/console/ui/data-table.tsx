/** A table whose rows are read page by page, and of which only the visible ones exist. j and k move between rows, Enter opens one. */
import { observeElementRect, useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../api/index.ts';
import { type Cell, alignCell, isRight, showCell } from './cell.tsx';
import { Icon } from './icon.tsx';
import { useListKeys } from './keys.ts';

export interface DataTableProps<T> {
  readonly label: string;
  readonly columns: readonly Cell<T>[];
  readonly rows: readonly T[];
  readonly getId: (row: T) => string;
  /** Where a row leads. */
  readonly getHref?: ((row: T) => string) | undefined;
  readonly selectedId?: string | undefined;
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /** Called when the last row is shown. */
  readonly onEnd?: () => void;
  readonly empty: ReactNode;
}

/** `h-9`. */
const ROW_REM = 2.25;
const ROW = 'grid grid-cols-(--columns) min-h-7.5 items-center gap-x-4 px-side max-sm:gap-x-3';

export function DataTable<T>({ label, columns, rows, getId, getHref, selectedId, sort, onSort, onEnd, empty }: DataTableProps<T>) {
  const body = useRef<HTMLDivElement>(null);
  const { virtualizer, visible, widthRem } = useVisibleRows(body, rows.length, onEnd);
  const shown = fitColumns(columns, widthRem);
  useListKeys({ body, count: getHref ? rows.length : 0, show: (index) => virtualizer.scrollToIndex(index) });
  return (
    <div
      className="-mx-side flex min-h-32 flex-1 flex-col border-t bg-card"
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      style={{ '--columns': shown.map(({ width }) => width).join(' ') } as CSSProperties}
    >
      <div role="rowgroup" className="overflow-hidden border-b bg-back text-xs text-soft [scrollbar-gutter:stable]">
        <div role="row" className={ROW}>
          {shown.map((column) => (
            <HeadCell key={column.title} column={column} sort={sort} onSort={onSort} />
          ))}
        </div>
      </div>
      <div
        ref={body}
        className="table-body min-h-0 flex-1 overflow-x-hidden overflow-y-auto [scrollbar-gutter:stable]"
        role="rowgroup"
        tabIndex={rows.length > 0 && !getHref ? 0 : undefined}
      >
        {rows.length === 0 ? (
          <div role="row">
            <div role="cell">{empty}</div>
          </div>
        ) : (
          <div role="presentation" style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
            {visible.map(({ index, start }) => {
              const row = rows[index];
              if (row === undefined) return null;
              const id = getId(row);
              return <Row key={id} columns={shown} {...{ row, index, start }} href={getHref?.(row)} isSelected={id === selectedId} />;
            })}
          </div>
        )}
      </div>
    </div>
  );
}

function useVisibleRows(body: RefObject<HTMLElement | null>, count: number, onEnd: (() => void) | undefined) {
  const [width, setWidth] = useState(0);
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => body.current,
    estimateSize: () => ROW_REM * rem,
    overscan: 12,
    observeElementRect: (instance, onChange) =>
      observeElementRect(instance, (rect) => {
        setWidth(rect.width);
        onChange(rect);
      }),
  });
  // The projector mode changes the height of rows.
  useEffect(() => virtualizer.measure(), [virtualizer, rem]);
  const visible = virtualizer.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (count > 0 && last >= count - 1) onEnd?.();
  }, [last, count, onEnd]);
  return { virtualizer, visible, widthRem: width / rem };
}

const GAP_REM = 1;

/** The columns that fit, from the lowest rank. */
function fitColumns<T>(columns: readonly Cell<T>[], widthRem: number): readonly Cell<T>[] {
  const byRank = columns.toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  const needs = (last: Cell<T>): number =>
    byRank
      .slice(0, byRank.indexOf(last) + 1)
      .reduce((sum, { width = '' }) => sum + parseFloat(width.replace(/^minmax\(/u, '')) + GAP_REM, GAP_REM);
  return columns.filter((column) => column.rank === undefined || needs(column) <= widthRem);
}

/** Covers its row, or the card that it is in. */
export const RowLink = ({ href, children }: { readonly href: string; readonly children: ReactNode }) => (
  <Link href={href} className={ROW_LINK} dir="auto">
    {children}
  </Link>
);

const ROW_LINK = `row-link font-medium text-ink after:absolute after:inset-0 hover:no-underline
  focus-visible:outline-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-brand`;

interface RowProps<T> {
  readonly columns: readonly Cell<T>[];
  readonly row: T;
  readonly index: number;
  /** Its place, in pixels. */
  readonly start: number;
  /** Where it leads. Its one link, in the first cell, covers it. */
  readonly href: string | undefined;
  readonly isSelected: boolean;
}

function Row<T>({ columns, row, index, start, href, isSelected }: RowProps<T>) {
  const format = useFormat();
  const color = isSelected ? 'bg-brand-back' : 'focus-within:bg-hover hover:bg-hover';
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      className={`${ROW} absolute h-9 w-full border-b ${color}`}
      style={{ top: start }}
    >
      {columns.map((column, at) => {
        const content = showCell({ ...column, href: () => null }, row, format);
        return (
          <div key={column.title} role="cell" className={`truncate ${alignCell(column)}`}>
            {at === 0 && href !== undefined ? (
              <RowLink href={href}>{content}</RowLink>
            ) : (
              <span dir={isRight(column) ? undefined : 'auto'}>{content}</span>
            )}
          </div>
        );
      })}
    </div>
  );
}

interface HeadCellProps<T> {
  readonly column: Cell<T>;
  readonly sort: string | undefined;
  readonly onSort: ((sort: string) => void) | undefined;
}

function HeadCell<T>({ column, sort, onSort }: HeadCellProps<T>) {
  const { title, sort: key } = column;
  const isSorted = key !== undefined && sort?.replace(/^-/u, '') === key;
  const isDescending = isSorted && sort.startsWith('-');
  return (
    <div
      role="columnheader"
      className={`truncate ${alignCell(column)} ${isSorted ? 'text-ink' : ''}`}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      {key === undefined || !onSort ? (
        title
      ) : (
        <button
          type="button"
          className="inline-flex items-center gap-0.5 hover:text-ink [&_svg]:size-3"
          onClick={() => onSort(isSorted && !isDescending ? `-${key}` : key)}
        >
          {title}
          {isSorted && <Icon name={isDescending ? 'down' : 'up'} />}
        </button>
      )}
    </div>
  );
}
