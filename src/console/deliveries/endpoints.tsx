/** Webhook endpoints: their health, a test, and changes of status. */
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { type EndpointHealth, listHealth, testWebhook, triggerEvent } from '../../contract/admin/webhooks.ts';
import { createWebhook, deleteWebhook, getWebhook, updateWebhook } from '../../contract/resources/webhooks.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { call, describeError } from '../api/client.ts';
import { useFormat } from '../api/format.ts';
import { useOperation } from '../api/queries.ts';
import { ConfirmButton } from '../ui/confirm.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Button, Facts, Section, Status } from '../ui/elements.tsx';
import { LogView } from '../ui/log-view.tsx';
import { RecordForm } from '../ui/record-form.tsx';
import { RecordPanel } from '../ui/record-panel.tsx';
import { ReplayButton } from './replay.tsx';
import { SignatureCheck } from './signature-check.tsx';
import { useFlag } from '../ui/selection.ts';

const POLL_MS = 2_000;
const FIELDS = ['name', 'targetUrl', 'status', 'description', 'subscribedEvents'] as const;

const COLUMNS: readonly Column<EndpointHealth>[] = [
  { title: 'Name', width: 'minmax(8rem, 1fr)', value: ({ name }) => name },
  { title: 'Status', width: '6rem', as: 'status', value: ({ status }) => status },
  { title: 'URL', width: 'minmax(8rem, 2fr)', rank: 44, value: ({ targetUrl }) => targetUrl },
  { title: 'Delivered', width: '5rem', rank: 26, as: 'number', value: ({ delivered }) => delivered },
  {
    title: 'Failed',
    width: '4rem',
    isNumber: true,
    value: ({ failed }) => failed,
    render: ({ failed }, { number }) => <span className={failed > 0 ? 'bad-text' : undefined}>{number(failed)}</span>,
  },
  { title: 'Queued', width: '4rem', rank: 36, as: 'number', value: ({ queued }) => queued },
  { title: 'Failing since', width: '9.5rem', rank: 60, as: 'clock', value: ({ failingSince }) => failingSince },
];

type Created = ResultOf<typeof createWebhook>;

export function Endpoints({ id, tabs }: { readonly id: string | undefined; readonly tabs: ReactNode }) {
  const { data, error } = useOperation(listHealth, {}, { refetchInterval: POLL_MS });
  const [isNew, setNew] = useFlag('new');
  const [isChecking, setChecking] = useFlag('check');
  const [secret, setSecret] = useState<string>();
  const [, navigate] = useLocation();
  const endpoint = data?.data.find((candidate) => candidate.id === id);
  return (
    <LogView<EndpointHealth>
      title="Endpoints"
      samples={[{ op: listHealth, parts: {} }]}
      columns={COLUMNS}
      rows={data?.data}
      error={error}
      getId={(row) => row.id}
      getHref={(row) => `/deliveries/endpoints/${row.id}`}
      selectedId={id}
      tabs={tabs}
      empty="No endpoints yet"
      actions={
        <>
          <Button onClick={() => setChecking(true)}>Check a signature</Button>
          <Button kind="main" icon="plus" onClick={() => setNew(true)}>
            New endpoint
          </Button>
        </>
      }
    >
      {endpoint && <EndpointDetails endpoint={endpoint} onSecret={setSecret} onClose={() => navigate('/deliveries/endpoints')} />}
      {isNew && (
        <RecordForm
          title="New endpoint"
          op={createWebhook}
          fields={FIELDS}
          onClose={() => setNew(false)}
          // The result of the operation.
          onSaved={(result) => setSecret((result as Created).signingSecret)}
        />
      )}
      {isChecking && <SignatureCheck onClose={() => setChecking(false)} />}
      {secret !== undefined && (
        <Dialog title="Signing secret" onClose={() => setSecret(undefined)}>
          <p>Store it now: it is not shown again. Receivers verify signatures with it.</p>
          <pre className="payload" tabIndex={0}>
            {secret}
          </pre>
        </Dialog>
      )}
    </LogView>
  );
}

interface DetailsProps {
  readonly endpoint: EndpointHealth;
  readonly onSecret: (secret: string | undefined) => void;
  readonly onClose: () => void;
}

function EndpointDetails({ endpoint, onSecret, onClose }: DetailsProps) {
  const parts = { params: { webhook_id: endpoint.id } };
  const { clock, number } = useFormat();
  const rotate = async (): Promise<void> => onSecret((await call(updateWebhook, { ...parts, body: { rotateSecret: true } })).signingSecret);
  return (
    <RecordPanel
      label="Endpoint"
      read={useOperation(getWebhook, parts)}
      samples={[{ op: getWebhook, parts }]}
      getTitle={({ name }) => name}
      edit={{ op: updateWebhook, fields: FIELDS }}
      remove={{ op: deleteWebhook, note: 'Its deliveries are deleted with it.' }}
      actions={() => (
        <>
          <EndpointTest id={endpoint.id} />
          <ReplayButton webhookId={endpoint.id} />
          <Button onClick={() => void rotate()}>Rotate secret</Button>
        </>
      )}
      onClose={onClose}
    >
      {({ description }) => (
        <>
          <Facts
            facts={[
              ['Status', <Status value={endpoint.status} />],
              ['URL', endpoint.targetUrl],
              ['Blocked', endpoint.blockedReason],
              ['Delivered', number(endpoint.delivered)],
              ['Failed', number(endpoint.failed)],
              ['Discarded', number(endpoint.discarded)],
              ['Queued', number(endpoint.queued)],
              ['Failing since', clock(endpoint.failingSince)],
              ['Next attempt', clock(endpoint.nextAttemptAt)],
              ['Description', description],
            ]}
          />
          <Section title="Events">
            <TriggerEvents events={endpoint.subscribedEvents} />
          </Section>
        </>
      )}
    </RecordPanel>
  );
}

/** Sends a sample of each event. */
function TriggerEvents({ events }: { readonly events: readonly string[] }) {
  return (
    <ul className="event-list">
      {events.map((event) => (
        <li key={event}>
          <code>{event}</code>
          <ConfirmButton
            label="Send a sample"
            title={`Send a sample of ${event}?`}
            action="Send"
            samples={[{ op: triggerEvent, parts: { body: { event } } }]}
          >
            <p>Every endpoint that subscribes to it receives a signed delivery.</p>
          </ConfirmButton>
        </li>
      ))}
    </ul>
  );
}

function EndpointTest({ id }: { readonly id: string }) {
  const [result, setResult] = useState<string>();
  const test = async (): Promise<void> => {
    setResult('Testing…');
    try {
      const { data } = await call(testWebhook, { params: { webhook_id: id }, body: {} });
      setResult(
        `${data.ok ? 'Reached' : (data.error ?? 'Failed')}${data.httpStatus === null ? '' : `, HTTP ${String(data.httpStatus)}`}, ${String(data.milliseconds)} ms`,
      );
    } catch (error) {
      setResult(describeError(error));
    }
  };
  return (
    <>
      <Button kind="main" onClick={() => void test()}>
        Test
      </Button>
      <span role="status" className="soft test-result">
        {result}
      </span>
    </>
  );
}
