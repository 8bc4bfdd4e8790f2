/** The details of one record: reads it, edits and deletes it. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Operation } from '../../contract/operation.ts';
import { type AnyParts, callAny } from '../api/client.ts';
import type { Sample } from '../api/samples.ts';
import { ConfirmButton } from './confirm.tsx';
import { DialogButton, Panel } from './dialog.tsx';
import { Failure, Loading } from './elements.tsx';
import type { Values } from './form-body.ts';
import { RecordForm } from './record-form.tsx';
import { ShowAs } from './show-as.tsx';

interface RecordPanelProps<T> {
  /** `Item` */
  readonly label: string;
  readonly op: Operation;
  readonly id: string;
  readonly query?: AnyParts['query'];
  readonly refetchInterval?: number;
  /** Further requests of it. */
  readonly samples?: readonly Sample[];
  readonly getTitle: (record: T) => ReactNode;
  readonly edit?: { readonly op: Operation; readonly omit?: readonly string[]; readonly canEdit?: (record: T) => boolean };
  readonly remove?: { readonly op: Operation; readonly note: string; readonly canRemove?: (record: T) => boolean };
  readonly actions?: (record: T) => ReactNode;
  readonly onClose: () => void;
  readonly children: (record: T) => ReactNode;
}

/** The parts of a request whose path has this id. */
export const toParts = ({ path }: Operation, id: string): { readonly params: Readonly<Record<string, string>> } => ({
  params: { [/\{(\w+)\}/u.exec(path)?.[1] ?? '']: id },
});

export function RecordPanel<T extends object>(props: RecordPanelProps<T>) {
  const { label, op, id, query, refetchInterval, samples = [], getTitle, edit, remove, actions, onClose, children } = props;
  const parts = { ...toParts(op, id), ...(query && { query }) };
  const { data, error } = useQuery({
    queryKey: [op.id, parts],
    // The caller names the type of the record.
    queryFn: async () => (await callAny(op, parts)) as { readonly data: T },
    ...(refetchInterval && { refetchInterval }),
  });
  if (data === undefined)
    return (
      <Panel title={label} label={label} onClose={onClose}>
        {error ? <Failure error={error} /> : <Loading />}
      </Panel>
    );
  const record = data.data;
  const name = label.toLowerCase();
  const buttons = (
    <>
      {actions?.(record)}
      {edit && edit.canEdit?.(record) !== false && (
        <DialogButton label="Edit">
          {(close) => (
            <RecordForm
              {...edit}
              {...parts}
              title={`Edit ${name}`}
              // Forms look fields up by their names.
              record={record as unknown as Values}
              onClose={close}
            />
          )}
        </DialogButton>
      )}
      {remove && remove.canRemove?.(record) !== false && (
        <ConfirmButton
          label="Delete"
          kind="danger"
          title={`Delete this ${name}?`}
          action="Delete"
          isDangerous
          sample={{ op: remove.op, parts: toParts(op, id) }}
          onDone={onClose}
        >
          <p>{remove.note}</p>
        </ConfirmButton>
      )}
      <ShowAs samples={[{ op, parts }, ...samples]} />
    </>
  );
  return (
    <Panel title={getTitle(record)} label={label} onClose={onClose} actions={buttons}>
      {children(record)}
    </Panel>
  );
}
