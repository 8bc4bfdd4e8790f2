/** Saves and restores snapshots of all data. */
import { useState } from 'react';
import { deleteSnapshot, listSnapshots, loadSnapshot, saveSnapshot } from '../../contract/admin/snapshots.ts';
import { useFormat } from '../api/format.ts';
import { useOperation } from '../api/queries.ts';
import { ConfirmButton } from '../ui/confirm.tsx';
import { Button, Section } from '../ui/elements.tsx';
import { RecordForm } from '../ui/record-form.tsx';

export function SnapshotsCard() {
  const { data } = useOperation(listSnapshots, {});
  const [isNew, setNew] = useState(false);
  const { number, time } = useFormat();
  const snapshots = data?.data ?? [];
  return (
    <>
      <Section
        isCard
        title="Snapshots"
        action={
          <Button icon="plus" onClick={() => setNew(true)}>
            Save
          </Button>
        }
      >
        {snapshots.length === 0 && <p className="soft">None saved. A snapshot keeps all data of the service, to return to it later.</p>}
        <ul className="event-list">
          {snapshots.map(({ name, savedAt, rows, problem }) => (
            <li key={name}>
              <span>
                <strong>{name}</strong> <span className="soft">{problem ?? `${time(savedAt)}, ${number(rows)} rows`}</span>
              </span>
              <span className="actions">
                <ConfirmButton
                  label="Restore"
                  title={`Restore ${name}?`}
                  action="Restore"
                  isDangerous
                  samples={[{ op: loadSnapshot, parts: { params: { name }, body: {} } }]}
                >
                  <p>It replaces all data of all organizations. Save a snapshot of the present first if you want to come back.</p>
                </ConfirmButton>
                <ConfirmButton
                  label="Delete"
                  kind="danger"
                  title={`Delete ${name}?`}
                  action="Delete"
                  isDangerous
                  samples={[{ op: deleteSnapshot, parts: { params: { name } } }]}
                />
              </span>
            </li>
          ))}
        </ul>
      </Section>
      {isNew && <RecordForm title="Save a snapshot" op={saveSnapshot} fields={['name', 'replace']} onClose={() => setNew(false)} />}
    </>
  );
}
