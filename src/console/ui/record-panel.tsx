/** The details of one record: reads it, edits and deletes it. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Operation } from '../../contract/operation.ts';
import { type AnyParts, type Sample, callAny } from '../api/index.ts';
import { type Cell, Facts } from './cell.tsx';
import { ConfirmButton } from './confirm.tsx';
import { Panel } from './dialog.tsx';
import { Pending } from './elements.tsx';
import type { Values } from './form-body.ts';
import { FormButton } from './record-form.tsx';
import { ShowAs } from './show-as.tsx';
import { useOpenRecord } from './url.ts';

export interface RecordPanelProps<T> {
  /** `Item` */
  readonly label: string;
  readonly op: Operation;
  /** Below which a record is open. */
  readonly path: string;
  readonly query?: AnyParts['query'];
  readonly refetchInterval?: number;
  /** Further requests of it. */
  readonly getSamples?: (id: string) => readonly Sample[];
  readonly getTitle: (record: T) => ReactNode;
  readonly edit?: { readonly op: Operation; readonly omit?: readonly string[]; readonly canEdit?: (record: T) => boolean };
  readonly remove?: { readonly op: Operation; readonly note: string; readonly canRemove?: (record: T) => boolean };
  readonly actions?: (record: T) => ReactNode;
  /** Its fields. */
  readonly cells?: readonly Cell<T>[];
  /** Below them. */
  readonly children?: (record: T) => ReactNode;
}

/** The parts of a request whose path has this id. */
export const toParts = ({ path }: Operation, id: string): { readonly params: Readonly<Record<string, string>> } => ({
  params: { [/\{(\w+)\}/u.exec(path)?.[1] ?? '']: id },
});

/** Nothing if no record is open. */
export function RecordPanel<T extends object>(props: RecordPanelProps<T>) {
  const { id, close } = useOpenRecord(props.path);
  return id === undefined ? null : <OpenPanel key={id} {...props} {...{ id, close }} />;
}

type OpenProps<T> = RecordPanelProps<T> & { readonly id: string; readonly close: () => void };

function OpenPanel<T extends object>(props: OpenProps<T>) {
  const { label, op, id, query, refetchInterval, getSamples, getTitle, edit, remove, actions, cells, close, children } = props;
  const parts = { ...toParts(op, id), ...(query && { query }) };
  const { data, error } = useQuery({
    queryKey: [op.id, parts],
    // The caller names the type of the record.
    queryFn: async () => (await callAny(op, parts)) as { readonly data: T },
    ...(refetchInterval && { refetchInterval }),
  });
  if (data === undefined) return <Panel title={label} label={label} onClose={close} children={<Pending error={error} />} />;
  const record = data.data;
  const name = label.toLowerCase();
  const buttons = (
    <>
      {actions?.(record)}
      {edit && edit.canEdit?.(record) !== false && (
        // Forms look fields up by their names.
        <FormButton {...edit} {...parts} label="Edit" title={`Edit ${name}`} record={record as Values} />
      )}
      {remove && remove.canRemove?.(record) !== false && (
        <ConfirmButton
          label="Delete"
          kind="danger"
          title={`Delete this ${name}?`}
          sample={{ op: remove.op, parts: toParts(op, id) }}
          note={remove.note}
          onDone={close}
        />
      )}
      <ShowAs samples={[{ op, parts }, ...(getSamples?.(id) ?? [])]} />
    </>
  );
  return (
    <Panel title={getTitle(record)} label={label} onClose={close} actions={buttons}>
      {cells && <Facts of={record} cells={cells} />}
      {children?.(record)}
    </Panel>
  );
}
