/** What tables show of a row: a value in a form that its kind has, or a part of its own. */
import type { ReactNode } from 'react';
import { type Format, toLabel, toText } from '../api/format.ts';
import { Status } from './elements.tsx';

export interface Cell<T> {
  readonly title: string;
  /** Those of `Format` are aligned to the right. */
  readonly as?: Exclude<keyof Format, 'today'> | 'label' | 'status';
  readonly isNumber?: boolean;
  readonly value?: (row: T) => unknown;
  readonly render?: (row: T, format: Format) => ReactNode;
}

export const isRight = <T,>({ as, isNumber }: Cell<T>): boolean => isNumber ?? (as !== undefined && as !== 'label' && as !== 'status');

export function showCell<T>({ as, value: read, render }: Cell<T>, row: T, format: Format): ReactNode {
  if (render) return render(row, format);
  const value = read?.(row);
  const text = toText(value);
  if (text === '') return '–';
  if (as === 'label') return toLabel(text);
  if (as === 'status') return <Status value={text} />;
  // A column names a kind that its values have.
  return as === undefined ? text : format[as](value as never);
}
