/** A view of one list, whose rows are read page by page. */
import { type ReactNode, useCallback, useState } from 'react';
import type { Operation } from '../../contract/operation.ts';
import { download, toCsv } from '../api/csv.ts';
import { type ListQuery, readAll, useList } from '../api/queries.ts';
import { type Column, DataTable } from './data-table.tsx';
import { Button, Empty, Failure, Loading } from './elements.tsx';
import { Filters, type UrlFilters } from './filters.tsx';
import { Frame } from './frame.tsx';

export interface ListViewProps<T> {
  readonly title: string;
  readonly op: Operation;
  readonly filters: UrlFilters;
  readonly filterNames: readonly string[];
  /** In addition to the filters. */
  readonly query?: ListQuery;
  readonly columns: readonly Column<T>[];
  readonly getId: (row: T) => string;
  readonly getHref?: (row: T) => string;
  readonly selectedId?: string | undefined;
  readonly actions?: ReactNode;
  readonly tabs?: ReactNode;
  /** Before the filters. */
  readonly toolbar?: ReactNode;
  readonly empty: string;
  readonly children?: ReactNode;
}

export function ListView<T>({
  title,
  op,
  filters,
  filterNames,
  columns,
  actions,
  tabs,
  toolbar,
  empty,
  children,
  ...props
}: ListViewProps<T>) {
  const { query: more, ...table } = props;
  const query: ListQuery = { ...filters.query, ...more };
  const { rows, total, error, isPending, onEnd } = useRows<T>(op, query);
  const defaultSort = op.query?.properties['sort']?.default;
  const save = async (): Promise<void> =>
    download(`${title.toLowerCase()}.csv`, toCsv((await readAll(op, query)) as readonly unknown[] as readonly T[], columns));
  return (
    <Frame
      title={title}
      count={total}
      samples={[{ op, parts: { query } }]}
      actions={
        <>
          <CsvButton save={save} />
          {actions}
        </>
      }
      tabs={tabs}
      toolbar={
        <>
          {toolbar}
          <Filters op={op} names={filterNames} filters={filters} />
        </>
      }
      aside={children}
    >
      {error && rows === undefined ? (
        <Failure error={error} />
      ) : isPending ? (
        <Loading />
      ) : (
        <DataTable
          {...table}
          label={title}
          columns={columns}
          rows={rows ?? []}
          sort={filters.get('sort') ?? (typeof defaultSort === 'string' ? defaultSort : '')}
          onSort={(sort) => filters.set('sort', sort)}
          onEnd={onEnd}
          empty={filters.isFiltered ? <Empty title="No matches">Change or remove a filter.</Empty> : <Empty title={empty} />}
        />
      )}
    </Frame>
  );
}

/** The rows that were read, of the operation, whose type the caller names. `onEnd` reads the next page. */
function useRows<T>(op: Operation, query: ListQuery) {
  const { data, error, isPending, fetchNextPage, hasNextPage, isFetchingNextPage } = useList(op, query);
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const rows = data?.pages.flatMap((page) => page.data) as readonly unknown[] | undefined as readonly T[] | undefined;
  return { rows, total: data?.pages.at(-1)?.pagination.total, error, isPending, onEnd };
}

const CSV_LABELS = { idle: 'CSV', busy: 'Reading…', failed: 'CSV failed' } as const;

/** Saves all rows of a table, also those that were not read yet. */
export function CsvButton({ save }: { readonly save: () => Promise<void> }) {
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  const run = (): void => {
    setState('busy');
    void save().then(
      () => setState('idle'),
      () => setState('failed'),
    );
  };
  return (
    <Button icon="download" kind="quiet" disabled={state === 'busy'} onClick={run} title="Save all rows as CSV">
      {CSV_LABELS[state]}
    </Button>
  );
}
