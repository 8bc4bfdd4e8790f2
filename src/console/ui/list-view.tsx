/** Views of tables: of a list that is read page by page, and of a log that is read at once. */
import type { ReactNode } from 'react';
import type { Operation } from '../../contract/operation.ts';
import { type Query, readAll, useList } from '../api/index.ts';
import { Facts } from './cell.tsx';
import { Panel } from './dialog.tsx';
import { Payload } from './elements.tsx';
import { Filters } from './filters.tsx';
import { NewButton, type NewButtonProps } from './record-form.tsx';
import { RecordPanel, type RecordPanelProps } from './record-panel.tsx';
import { TableView, type TableViewProps } from './table-view.tsx';
import { useOpenRecord, useUrl } from './url.ts';

interface ListViewProps<T> extends Omit<TableViewProps<T>, 'rows' | 'error' | 'samples'> {
  readonly op: Operation;
  readonly filters: readonly string[];
  /** Unless the address says otherwise. */
  readonly query?: Query;
  /** Before the filters. */
  readonly toolbar?: ReactNode;
  /** The form of a new record. */
  readonly create?: NewButtonProps;
  /** Of the record that is open; its fields are those of the list. */
  readonly details?: Omit<RecordPanelProps<T>, 'path' | 'cells'>;
}

export function ListView<T extends object>({ op, filters, query: defaults, toolbar, create, details, ...view }: ListViewProps<T>) {
  const url = useUrl();
  const given = url.getQuery(op);
  const query = { ...defaults, ...given };
  const { rows, total, error, readNext } = useList<T>(op, query);
  const defaultSort = op.query?.properties['sort']?.default;
  return (
    <TableView<T>
      actions={create && <NewButton {...create} />}
      aside={details && <RecordPanel {...details} path={view.path} cells={view.columns} />}
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
  /** What it has besides its fields. */
  readonly payload?: { readonly title: string; readonly read: (row: T) => unknown };
}

/** Its rows have all that their details show. */
export function LogView<T extends { readonly id: string }>({ label, getTitle, payload, ...view }: LogViewProps<T>) {
  const { id, close } = useOpenRecord(view.path);
  const selected = view.rows?.find((row) => row.id === id);
  return (
    <TableView<T>
      {...view}
      aside={
        selected && (
          <Panel title={getTitle(selected)} label={label} onClose={close}>
            <Facts of={selected} cells={view.columns} />
            {payload && <Payload title={payload.title} text={JSON.stringify(payload.read(selected))} />}
          </Panel>
        )
      }
    />
  );
}
