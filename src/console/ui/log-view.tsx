/** A view of a short log that is read at once. */
import type { ReactNode } from 'react';
import { download, toCsv } from '../api/csv.ts';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { Empty, Failure, Loading } from './elements.tsx';
import { Frame, type FrameProps } from './frame.tsx';
import { CsvButton } from './list-view.tsx';

interface LogViewProps<T>
  extends Omit<FrameProps, 'count' | 'aside' | 'children'>, Pick<DataTableProps<T>, 'columns' | 'getId' | 'getHref' | 'selectedId'> {
  /** Undefined until they were read. */
  readonly rows: readonly T[] | undefined;
  readonly error: unknown;
  readonly empty: string;
  readonly children?: ReactNode;
}

export function LogView<T>(props: LogViewProps<T>) {
  const { columns, rows, error, empty, children, getId, getHref, selectedId, actions, ...frame } = props;
  const { title } = frame;
  const save = async (): Promise<void> => Promise.resolve(download(`${title.toLowerCase()}.csv`, toCsv(rows ?? [], columns)));
  return (
    <Frame
      {...frame}
      count={rows?.length}
      actions={
        <>
          <CsvButton save={save} />
          {actions}
        </>
      }
      aside={children}
    >
      {error && rows === undefined ? (
        <Failure error={error} />
      ) : rows === undefined ? (
        <Loading />
      ) : (
        <DataTable {...{ columns, rows, getId, getHref, selectedId }} label={title} empty={<Empty title={empty} />} />
      )}
    </Frame>
  );
}
