/** A view of a table, also as a file. */
import { useMutation } from '@tanstack/react-query';
import { download, toCsv } from '../api/csv.ts';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { Button, Empty, Failure, Loading } from './elements.tsx';
import { Frame, type FrameProps } from './frame.tsx';

export interface TableViewProps<T>
  extends Omit<FrameProps, 'count' | 'children' | 'isScrolling'>, Omit<DataTableProps<T>, 'label' | 'rows' | 'empty'> {
  /** Undefined until they were read. */
  readonly rows: readonly T[] | undefined;
  readonly error: unknown;
  /** Of rows that are read page by page. */
  readonly total?: number | undefined;
  readonly readAll?: () => Promise<readonly T[]>;
  /** Instead of no rows. */
  readonly empty: string;
  readonly isFiltered?: boolean;
}

export function TableView<T>(props: TableViewProps<T>) {
  const { title, samples, actions, tabs, toolbar, aside, rows, total, error, readAll, empty, isFiltered = false, ...table } = props;
  const file = useMutation({
    mutationFn: async () => download(`${title.toLowerCase()}.csv`, toCsv(readAll ? await readAll() : (rows ?? []), columns)),
  });
  const columns = table.columns.filter(({ width }) => width !== undefined);
  return (
    <Frame
      {...{ title, samples, tabs, toolbar, aside }}
      count={total ?? rows?.length}
      actions={
        <>
          <Button icon="download" kind="quiet" disabled={file.isPending} onClick={file.mutate} title="Save all rows as CSV">
            {file.isPending ? 'Reading…' : file.isError ? 'CSV failed' : 'CSV'}
          </Button>
          {actions}
        </>
      }
    >
      {rows ? (
        <DataTable
          {...table}
          {...{ columns, rows }}
          label={title}
          empty={isFiltered ? <Empty title="No matches">Change or remove a filter.</Empty> : <Empty title={empty} />}
        />
      ) : error ? (
        <Failure error={error} />
      ) : (
        <Loading />
      )}
    </Frame>
  );
}
