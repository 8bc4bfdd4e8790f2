/** The details of one record: reads it, edits and deletes it. */
import { type ReactNode, useState } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Operation } from '../../contract/operation.ts';
import type { Sample } from '../api/samples.ts';
import { ConfirmButton } from './confirm.tsx';
import { Panel } from './dialog.tsx';
import { Button, Failure, Loading } from './elements.tsx';
import type { Values } from './field.tsx';
import { RecordForm } from './record-form.tsx';
import { ShowAs } from './show-as.tsx';

interface RecordPanelProps<T> {
  /** `Item` */
  readonly label: string;
  readonly read: Pick<UseQueryResult<{ readonly data: T }>, 'data' | 'error'>;
  /** The requests that read it; the first has the parameters of its path. */
  readonly samples: readonly Sample[];
  readonly getTitle: (record: T) => ReactNode;
  readonly edit?: { readonly op: Operation; readonly fields: readonly string[]; readonly canEdit?: (record: T) => boolean };
  readonly remove?: { readonly op: Operation; readonly note: string; readonly canRemove?: (record: T) => boolean };
  readonly actions?: (record: T) => ReactNode;
  readonly onClose: () => void;
  readonly children: (record: T) => ReactNode;
}

export function RecordPanel<T extends object>({
  label,
  read,
  samples,
  getTitle,
  edit,
  remove,
  actions,
  onClose,
  children,
}: RecordPanelProps<T>) {
  const [isEditing, setEditing] = useState(false);
  const record = read.data?.data;
  const params = samples[0]?.parts.params ?? {};
  const name = label.toLowerCase();
  if (!record)
    return (
      <Panel title={label} label={label} onClose={onClose}>
        {read.error ? <Failure error={read.error} /> : <Loading />}
      </Panel>
    );
  const buttons = (
    <>
      {actions?.(record)}
      {edit && edit.canEdit?.(record) !== false && <Button onClick={() => setEditing(true)}>Edit</Button>}
      {remove && remove.canRemove?.(record) !== false && (
        <ConfirmButton
          label="Delete"
          kind="danger"
          title={`Delete this ${name}?`}
          action="Delete"
          isDangerous
          samples={[{ op: remove.op, parts: { params } }]}
          onDone={onClose}
        >
          <p>{remove.note}</p>
        </ConfirmButton>
      )}
      <ShowAs samples={samples} />
    </>
  );
  return (
    <Panel title={getTitle(record)} label={label} onClose={onClose} actions={buttons}>
      {children(record)}
      {isEditing && edit && (
        <RecordForm
          title={`Edit ${name}`}
          op={edit.op}
          params={params}
          fields={edit.fields}
          // Forms look fields up by their names.
          record={record as unknown as Values}
          onClose={() => setEditing(false)}
        />
      )}
    </Panel>
  );
}
