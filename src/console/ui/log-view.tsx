/** A view of a log that is read at once. Its rows have all that their details show. */
import type { ReactNode } from 'react';
import { Panel } from './dialog.tsx';
import { TableView, type TableViewProps } from './table-view.tsx';
import { useUrl } from './url.ts';

interface LogViewProps<T> extends Omit<TableViewProps<T>, 'getId' | 'getHref' | 'selectedId' | 'aside'> {
  /** `/audit` */
  readonly path: string;
  /** Of one row: `Change`. */
  readonly label: string;
  readonly getTitle: (row: T) => string;
  readonly details: (row: T) => ReactNode;
}

export function LogView<T extends { readonly id: string }>({ path, label, getTitle, details, ...view }: LogViewProps<T>) {
  const { ids, toHref, open } = useUrl();
  const selected = view.rows?.find(({ id }) => id === ids[0]);
  return (
    <TableView<T>
      {...view}
      getId={({ id }) => id}
      getHref={({ id }) => toHref(`${path}/${id}`)}
      selectedId={selected?.id}
      aside={
        selected && (
          <Panel title={getTitle(selected)} label={label} onClose={() => open(path)}>
            {details(selected)}
          </Panel>
        )
      }
    />
  );
}
