/** Injected faults. */
import { useState } from 'react';
import { clearFaults, listFaults, setFault } from '../../contract/admin/faults.ts';
import { useFormat } from '../api/format.ts';
import { useOperation } from '../api/queries.ts';
import { ConfirmButton } from '../ui/confirm.tsx';
import { Button, Section } from '../ui/elements.tsx';
import { MiniTable } from '../ui/mini-table.tsx';
import { RecordForm } from '../ui/record-form.tsx';

const FIELDS = ['target', 'status', 'latency', 'rate', 'times', 'for', 'drop', 'retryAfter'] as const;

export function FaultsCard() {
  const { data } = useOperation(listFaults, {}, { refetchInterval: 2_000 });
  const [isNew, setNew] = useState(false);
  const { number } = useFormat();
  const faults = data?.data ?? [];
  return (
    <>
      <Section
        isCard
        title="Faults"
        action={
          <Button icon="plus" onClick={() => setNew(true)}>
            New fault
          </Button>
        }
      >
        <MiniTable
          label="Faults"
          rows={faults}
          empty="Requests and deliveries run normally"
          columns={[
            { title: 'Target', render: ({ target }) => target },
            {
              title: 'Effect',
              render: ({ status, latencyMs, drop }) =>
                [status, latencyMs > 0 && `${number(latencyMs)} ms`, drop && `drop ${drop}`].filter(Boolean).join(', '),
            },
            { title: 'Rate', isNumber: true, render: ({ rate }) => `${number(rate * 100)} %` },
            { title: 'Triggered', as: 'number', value: ({ hits }) => hits },
          ]}
        />
        {faults.length > 0 && (
          <div className="actions card-actions">
            <ConfirmButton
              label="Clear all"
              title="Clear all faults?"
              action="Clear"
              samples={[{ op: clearFaults, parts: { body: {} } }]}
            />
          </div>
        )}
      </Section>
      {isNew && <RecordForm title="New fault" op={setFault} fields={FIELDS} onClose={() => setNew(false)} />}
    </>
  );
}
