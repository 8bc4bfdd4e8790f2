/** What details and questions consist of. */
import { formatRelative } from '../tables/format.ts';
import type { Column, RenderContext, Span, Tone } from '../tables/table.ts';

/** A label with its value, or what a line or several show. */
export type Part =
  | readonly [label: string, value: string]
  | { readonly head: string }
  /** Each line of the text is wrapped. */
  | { readonly text: string; readonly tone?: Tone; readonly indent?: number }
  | { readonly spans: readonly Span[] }
  /** Indented and colored if it is JSON. */
  | { readonly json: string }
  | { readonly columns: readonly Column<unknown>[]; readonly rows: readonly unknown[] }
  /** Records of the API, with the columns that commands show. */
  | { readonly records: readonly unknown[]; readonly paths: readonly string[] };

export const EMPTY_LINE: Part = { text: '' };

export const table = <R>(columns: readonly Column<R>[], rows: readonly R[]): Part => ({ columns, rows });

export const formatMoment = (timestamp: string | null, { serviceNow }: RenderContext): string =>
  timestamp === null ? '–' : `${timestamp}  (${formatRelative(timestamp, serviceNow)})`;
