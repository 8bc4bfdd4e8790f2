/** What lists, tables and details show of a record: a value in the form of its kind, or a part of its own. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { type Format, NONE, toLabel, toText, useFormat } from '../api/index.ts';
import { Status } from './elements.tsx';
import { type NamedKind, type NamedRecord, getName, isNamed, toRecordPath } from './named-record.ts';

export interface Cell<T> {
  readonly title: string;
  /** A field, or what is read of the row; also for files. */
  readonly value: (keyof T & string) | ((row: T) => unknown);
  /** Those of `Format` are aligned to the right. That of a record shows its name, which leads to it. */
  readonly as?: Exclude<keyof Format, 'today' | 'ticks' | 'timeZone'> | 'label' | 'status' | 'code' | NamedKind;
  /** A value that says nothing. */
  readonly except?: unknown;
  readonly currency?: (row: T) => string | undefined;
  /** Of a quantity. */
  readonly unit?: (row: T) => { readonly symbol: string } | null | undefined;
  readonly isBad?: (row: T, format: Format) => boolean;
  /** What it leads to. */
  readonly href?: (row: T) => string | false | null | undefined;
  /** A status behind it. */
  readonly mark?: (row: T) => string | false | null | undefined;
  /** Instead of the value. */
  readonly render?: (row: T, format: Format) => ReactNode;
  readonly isNumber?: boolean;
  /** The track of its column; those without are in no list. */
  readonly width?: string;
  /** The higher, the sooner a narrow list leaves the column out; never if it has none. Short tables with one leave it out on a phone. */
  readonly rank?: number;
  /** The key with which the service sorts. */
  readonly sort?: string;
  /** Not in details, which have it in their title. */
  readonly isListOnly?: true;
}

export const isRight = <T,>({ as, unit, isNumber }: Cell<T>): boolean =>
  isNumber ?? (unit !== undefined || (as !== undefined && !['label', 'status', 'code'].includes(as) && !isNamed(as)));

/** The class of its cells. */
export const alignCell = <T,>(cell: Cell<T>): string => (isRight(cell) ? 'number' : 'text-start');

const readValue = <T,>({ value }: Cell<T>, row: T): unknown => (typeof value === 'function' ? value(row) : row[value]);

/** The value for a file; of a record its name. */
export const readCell = <T,>(cell: Cell<T>, row: T): unknown => (isNamed(cell.as) ? getName(readValue(cell, row)) : readValue(cell, row));

/** `NONE` if there is nothing. */
export function showCell<T>(cell: Cell<T>, row: T, format: Format): ReactNode {
  const content = cell.render ? cell.render(row, format) : showValue(cell, row, format);
  if (content === NONE) return NONE;
  const { as } = cell;
  const record = readValue(cell, row) as NamedRecord | null | undefined;
  const href = cell.href ? cell.href(row) : isNamed(as) && record && toRecordPath(as, record.id);
  const mark = cell.mark?.(row);
  return (
    <>
      {href ? <Link href={href}>{content}</Link> : cell.isBad?.(row, format) ? <span className="text-bad">{content}</span> : content}
      {mark && (
        <>
          {' '}
          <Status value={mark} />
        </>
      )}
    </>
  );
}

function showValue<T>(cell: Cell<T>, row: T, format: Format): ReactNode {
  const { as, except, unit, currency } = cell;
  const value = readCell(cell, row);
  const text = Array.isArray(value) ? value.join(', ') : toText(value);
  if (text === '' || value === except) return NONE;
  if (unit) return `${format[as === 'change' ? as : 'number'](Number(value))} ${unit(row)?.symbol ?? ''}`;
  if (as === undefined || isNamed(as)) return text;
  if (as === 'label') return toLabel(text);
  if (as === 'status') return <Status value={text} />;
  if (as === 'code') return <code>{text}</code>;
  // A column names a kind that its values have.
  return as === 'money' ? format.money(value as number, currency?.(row)) : format[as](value as never);
}

export const FACT = 'grid grid-cols-[8.5rem_minmax(0,1fr)] gap-3 max-sm:grid-cols-[7rem_minmax(0,1fr)]';

interface FactsProps<T> {
  readonly of: T;
  readonly cells: readonly Cell<T>[];
}

/** Names and values in two columns; those without a value are left out. */
export function Facts<T>({ of: record, cells }: FactsProps<T>) {
  const format = useFormat();
  return (
    <dl className="facts grid gap-1.25">
      {cells.map((cell) => {
        const content = cell.isListOnly ? NONE : showCell(cell, record, format);
        return (
          content !== NONE && (
            <div key={cell.title} className={FACT}>
              <dt>{cell.title}</dt>
              <dd className="wrap-anywhere whitespace-pre-line" dir="auto">
                {content}
              </dd>
            </div>
          )
        );
      })}
    </dl>
  );
}
