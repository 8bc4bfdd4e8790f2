/** Views of tables: of a list that is read page by page, and of a log that is read at once. */
import type { ReactNode } from 'react';
import type { Operation } from '../../contract/operation.ts';
import { type Query, readAll, useList } from '../api/index.ts';
import { Panel } from './dialog.tsx';
import { Filters } from './filters.tsx';
import { TableView, type TableViewProps } from './table-view.tsx';
import { useOpenRecord, useUrl } from './url.ts';

interface ListViewProps<T> extends Omit<TableViewProps<T>, 'rows' | 'error' | 'samples'> {
  readonly op: Operation;
  readonly filters: readonly string[];
  /** Unless the address says otherwise. */
  readonly query?: Query;
  /** Before the filters. */
  readonly toolbar?: ReactNode;
}

export function ListView<T>({ op, filters, query: defaults, toolbar, ...view }: ListViewProps<T>) {
  const url = useUrl();
  const given = url.getQuery(op);
  const query = { ...defaults, ...given };
  const { rows, total, error, readNext } = useList<T>(op, query);
  const defaultSort = op.query?.properties['sort']?.default;
  return (
    <TableView<T>
      {...view}
      {...{ rows, total, error }}
      samples={[{ op, parts: { query } }]}
      readAll={() => readAll<T>(op, query)}
      toolbar={
        <>
          {toolbar}
          <Filters op={op} names={filters} />
        </>
      }
      sort={url.get('sort') ?? (typeof defaultSort === 'string' ? defaultSort : '')}
      onSort={(sort) => url.set('sort', sort)}
      onEnd={readNext}
      isFiltered={Object.keys(given).length > 0}
    />
  );
}

interface LogViewProps<T> extends Omit<TableViewProps<T>, 'aside'> {
  /** Of one row: `Change`. */
  readonly label: string;
  readonly getTitle: (row: T) => string;
  readonly details: (row: T) => ReactNode;
}

/** Its rows have all that their details show. */
export function LogView<T extends { readonly id: string }>({ label, getTitle, details, ...view }: LogViewProps<T>) {
  const { id, close } = useOpenRecord(view.path);
  const selected = view.rows?.find((row) => row.id === id);
  return (
    <TableView<T>
      {...view}
      aside={
        selected && (
          <Panel title={getTitle(selected)} label={label} onClose={close}>
            {details(selected)}
          </Panel>
        )
      }
    />
  );
}
