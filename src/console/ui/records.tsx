/** The parts of a view of records: links of the rows, the record that is open beside them, and the form for new ones. */
import type { ReactNode } from 'react';
import { Button } from './elements.tsx';
import { ListView, type ListViewProps } from './list-view.tsx';
import { RecordForm, type RecordFormProps } from './record-form.tsx';
import { useFlag, useUrl } from './url.ts';

interface RecordsOptions {
  readonly path: string;
  /** The record that is open. */
  readonly id: string | undefined;
  readonly create: Omit<RecordFormProps, 'onClose'>;
  readonly details: (id: string, onClose: () => void) => ReactNode;
}

interface RecordsParts {
  readonly getId: (row: { readonly id: string }) => string;
  readonly getHref: (row: { readonly id: string }) => string;
  readonly selectedId: string | undefined;
  readonly actions: ReactNode;
  readonly aside: ReactNode;
}

export function useRecords({ path, id, create, details }: RecordsOptions): RecordsParts {
  const [isNew, setNew] = useFlag('new');
  const { toHref, open } = useUrl();
  return {
    getId: (row) => row.id,
    getHref: (row) => toHref(`${path}/${row.id}`),
    selectedId: id,
    actions: (
      <Button kind="main" icon="plus" onClick={() => setNew(true)}>
        {create.title}
      </Button>
    ),
    aside: (
      <>
        {id !== undefined && details(id, () => open(path))}
        {isNew && <RecordForm {...create} onClose={() => setNew(false)} />}
      </>
    ),
  };
}

type RecordsViewProps<T> = RecordsOptions & Omit<ListViewProps<T>, keyof RecordsParts>;

export const RecordsView = <T extends { readonly id: string }>({ path, id, create, details, ...list }: RecordsViewProps<T>) => (
  <ListView<T> {...list} {...useRecords({ path, id, create, details })} />
);
