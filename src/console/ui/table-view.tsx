/** A view of a table, also as a file. */
import { useMutation } from '@tanstack/react-query';
import { download, toCsv } from '../api/index.ts';
import { readCell } from './cell.tsx';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { Button, Empty, Pending } from './elements.tsx';
import { Frame, type FrameProps } from './frame.tsx';
import { useOpenRecord, useUrl } from './url.ts';

export interface TableViewProps<T>
  extends
    Omit<FrameProps, 'count' | 'children' | 'isScrolling'>,
    Omit<DataTableProps<T>, 'label' | 'rows' | 'empty' | 'getId' | 'selectedId'> {
  /** Rows lead to their records below it, of which one may be open. */
  readonly path: string;
  /** Default: the field `id`. */
  readonly getId?: (row: T) => string;
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
  const { title, samples, actions, tabs, toolbar, aside, rows, total, error, readAll, empty, isFiltered = false, path, ...table } = props;
  const { getId = (row) => String((row as { readonly id?: unknown }).id) } = table;
  const { toHref } = useUrl();
  const { id } = useOpenRecord(path);
  const columns = table.columns.filter(({ width }) => width !== undefined);
  const file = useMutation({
    mutationFn: async () => {
      const values = (readAll ? await readAll() : (rows ?? [])).map((row) => columns.map((cell) => readCell(cell, row)));
      download(`${title.toLowerCase()}.csv`, toCsv([columns.map((cell) => cell.title), ...values]));
    },
  });
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
          getHref={(row) => toHref(`${path}/${getId(row)}`)}
          selectedId={id}
          {...table}
          {...{ columns, rows, getId }}
          label={title}
          empty={isFiltered ? <Empty title="No matches">Change or remove a filter.</Empty> : <Empty title={empty} />}
        />
      ) : (
        <Pending error={error} />
      )}
    </Frame>
  );
}
