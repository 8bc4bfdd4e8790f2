/** A list of records, of which one may be open beside it and new ones are created. */
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Button } from './elements.tsx';
import { useUrlFilters } from './filters.tsx';
import { ListView, type ListViewProps } from './list-view.tsx';
import { RecordForm, type RecordFormProps } from './record-form.tsx';
import { useFlag, useWithFilters } from './selection.ts';

interface RecordListViewProps<T> extends Omit<ListViewProps<T>, 'filters' | 'getId' | 'getHref' | 'selectedId' | 'actions' | 'children'> {
  readonly path: string;
  /** The record that is open. */
  readonly id: string | undefined;
  readonly create: Omit<RecordFormProps, 'onClose'>;
  readonly details: (id: string, onClose: () => void) => ReactNode;
}

export function RecordListView<T extends { readonly id: string }>({ path, id, create, details, ...list }: RecordListViewProps<T>) {
  const [isNew, setNew] = useFlag('new');
  const [, navigate] = useLocation();
  const withFilters = useWithFilters();
  return (
    <ListView<T>
      {...list}
      filters={useUrlFilters(list.op)}
      getId={(row) => row.id}
      getHref={(row) => withFilters(`${path}/${row.id}`)}
      selectedId={id}
      actions={
        <Button kind="main" icon="plus" onClick={() => setNew(true)}>
          {create.title}
        </Button>
      }
    >
      {id !== undefined && details(id, () => navigate(withFilters(path)))}
      {isNew && <RecordForm {...create} onClose={() => setNew(false)} />}
    </ListView>
  );
}
