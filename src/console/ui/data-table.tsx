/** A table whose rows are read page by page, and of which only the visible ones exist. j and k move between rows, Enter opens one. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { type Format, useFormat } from '../api/index.ts';
import { type Cell, isRight, showCell } from './cell.tsx';
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

const ROW_REM = 2.25;

export function DataTable<T>({ label, columns, rows, getId, getHref, selectedId, sort, onSort, onEnd, empty }: DataTableProps<T>) {
  const body = useRef<HTMLDivElement>(null);
  const format = useFormat();
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const shown = fitColumns(columns, useWidth(body) / rem);
  const template = { gridTemplateColumns: shown.map((column) => column.width).join(' ') };
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => body.current,
    estimateSize: () => ROW_REM * rem,
    overscan: 12,
  });
  const visible = virtualizer.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - 1) onEnd?.();
  }, [last, rows.length, onEnd]);
  useListKeys({ body, count: getHref ? rows.length : 0, show: (index) => virtualizer.scrollToIndex(index) });
  return (
    <div className="table" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <div role="rowgroup" className="table-head">
        <div role="row" className="row" style={template}>
          {shown.map((column) => (
            <HeadCell key={column.title} column={column} sort={sort} onSort={onSort} />
          ))}
        </div>
      </div>
      <div ref={body} className="table-body" role="rowgroup" tabIndex={rows.length > 0 && !getHref ? 0 : undefined}>
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
              return (
                <div
                  key={id}
                  role="row"
                  aria-rowindex={index + 2}
                  data-index={index}
                  className={`row ${id === selectedId ? 'selected' : ''}`}
                  style={{ ...template, transform: `translateY(${String(start)}px)`, height: `${String(ROW_REM)}rem` }}
                >
                  {shown.map((column, at) => (
                    <TableCell key={column.title} {...{ column, row, format }} href={at === 0 ? getHref?.(row) : undefined} />
                  ))}
                </div>
              );
            })}
          </div>
        )}
      </div>
    </div>
  );
}

const GAP_REM = 1;

/** The columns that fit, from the lowest rank. */
function fitColumns<T>(columns: readonly Cell<T>[], widthRem: number): readonly Cell<T>[] {
  const shown = new Set<Cell<T>>();
  let used = GAP_REM;
  for (const column of columns.toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))) {
    if (column.width === undefined) continue;
    const needed = parseFloat(column.width.replace(/^minmax\(/u, '')) + GAP_REM;
    if (column.rank !== undefined && used + needed > widthRem) break;
    used += needed;
    shown.add(column);
  }
  return columns.filter((column) => shown.has(column));
}

interface CellProps<T> {
  readonly column: Cell<T>;
  readonly row: T;
  readonly format: Format;
  /** Of the row. */
  readonly href: string | undefined;
}

function TableCell<T>({ column, row, format, href }: CellProps<T>) {
  // The row has one link, which covers it.
  const content = showCell({ ...column, href: () => null }, row, format);
  return (
    <div role="cell" className={isRight(column) ? 'number' : undefined}>
      {href === undefined ? (
        <span dir={isRight(column) ? undefined : 'auto'}>{content}</span>
      ) : (
        <Link href={href} className="row-link" dir="auto">
          {content}
        </Link>
      )}
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
      className={isRight(column) ? 'number' : undefined}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      {key === undefined || !onSort ? (
        title
      ) : (
        <button type="button" onClick={() => onSort(isSorted && !isDescending ? `-${key}` : key)}>
          {title}
          {isSorted && <Icon name={isDescending ? 'down' : 'up'} />}
        </button>
      )}
    </div>
  );
}

function useWidth(element: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
