/** Short tables inside details, without pages. */
import type { ReactNode } from 'react';
import type { PartsOf } from '../../client/request.ts';
import type { Operation, ResultOf } from '../../contract/operation.ts';
import { useFormat, useOperation } from '../api/index.ts';
import { type Cell, alignCell, isRight, showCell } from './cell.tsx';
import { Section, type SectionProps } from './elements.tsx';

/** On a phone texts wrap, so that numbers are shown whole. */
const CELL = 'max-w-72 border-b py-1.25 pr-3 whitespace-nowrap last:pr-0 max-sm:pr-2';
const WRAPPED = 'max-sm:max-w-40 max-sm:whitespace-normal max-sm:wrap-break-word';

const alignMiniCell = <T,>(cell: Cell<T>): string => `${alignCell(cell)} ${cell.rank === undefined ? '' : 'max-sm:hidden'}`;

interface MiniTableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Cell<T>[];
  readonly empty: string;
}

export function MiniTable<T>({ label, rows, columns, empty }: MiniTableProps<T>) {
  const format = useFormat();
  if (rows.length === 0) return <p className="text-soft">{empty}</p>;
  return (
    <div className="overflow-x-auto" tabIndex={0} role="group" aria-label={`${label}: table`}>
      <table className="w-full" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" className={`${CELL} ${WRAPPED} font-normal ${alignMiniCell(column)}`}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // The rows of such a table are replaced together.
            <tr key={String(at)}>
              {columns.map((column) => (
                <td
                  key={column.title}
                  className={`${CELL} overflow-hidden text-ellipsis has-[button]:whitespace-normal ${isRight(column) ? '' : WRAPPED} ${alignMiniCell(column)}`}
                  dir={isRight(column) ? undefined : 'auto'}
                >
                  {showCell(column, row, format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface TableSectionProps<T> extends Omit<MiniTableProps<T>, 'label' | 'empty' | 'rows'>, Omit<SectionProps, 'children'> {
  /** Undefined while they are read. */
  readonly rows: readonly T[] | undefined;
  /** Instead of no rows; without it nothing is shown. */
  readonly empty?: string;
  /** Below it. */
  readonly children?: ReactNode;
}

export const TableSection = <T,>({ rows = [], columns, empty, children, ...section }: TableSectionProps<T>) =>
  rows.length === 0 && empty === undefined ? null : (
    <Section {...section}>
      <MiniTable label={section.title} empty={empty ?? ''} {...{ rows, columns }} />
      {children}
    </Section>
  );

type RowOf<O> = ResultOf<O> extends { readonly data: readonly (infer Row)[] } ? Row : never;

interface QuerySectionProps<O extends Operation> extends Omit<TableSectionProps<RowOf<O>>, 'rows' | 'action'> {
  readonly op: O;
  readonly parts: PartsOf<O>;
  readonly refetchInterval?: number;
  readonly action?: ReactNode | ((rows: readonly RowOf<O>[]) => ReactNode);
}

/** A table of what an operation returns; nothing until it does. */
export function QuerySection<const O extends Operation>({ op, parts, refetchInterval, action, ...section }: QuerySectionProps<O>) {
  const { data } = useOperation(op, parts, { ...(refetchInterval && { refetchInterval }) });
  // Its result is a list, or its rows have no type.
  const rows = (data as { data: readonly RowOf<O>[] } | undefined)?.data;
  return rows && <TableSection {...section} rows={rows} action={typeof action === 'function' ? action(rows) : action} />;
}
