/** A view of one list, whose rows are read page by page. */
import type { ReactNode } from 'react';
import type { Operation } from '../../contract/operation.ts';
import type { Query } from '../api/client.ts';
import { readAll, useList } from '../api/queries.ts';
import { Filters } from './filters.tsx';
import { TableView, type TableViewProps } from './table-view.tsx';
import { useUrl } from './url.ts';

export interface ListViewProps<T> extends Omit<TableViewProps<T>, 'rows' | 'error' | 'samples'> {
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
