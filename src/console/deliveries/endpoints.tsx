/** Webhook endpoints: their health, a test, and changes of status. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type EndpointHealth, listHealth, testWebhook, triggerEvent } from '../../contract/admin/webhooks.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { type Webhook, createWebhook, deleteWebhook, getWebhook, updateWebhook } from '../../contract/resources/webhooks.ts';
import { createReplay } from '../../contract/resources/webhook-replays.ts';
import { call, describeError, useAccess, useOperation } from '../api/index.ts';
import {
  Button,
  type Cell,
  ConfirmButton,
  Dialog,
  DialogButton,
  Facts,
  RecordPanel,
  TableSection,
  TableView,
  toParts,
  useFlag,
  NewButton,
} from '../ui/index.ts';
import { Replay } from './replay.tsx';
import { SignatureCheck } from './signature-check.tsx';

const POLL_MS = 2_000;
const PATH = '/deliveries/endpoints';

const FIELDS: readonly Cell<EndpointHealth>[] = [
  { title: 'Name', width: 'minmax(8rem, 1fr)', value: 'name', isListOnly: true },
  { title: 'Status', width: '6rem', as: 'status', value: 'status' },
  { title: 'URL', width: 'minmax(8rem, 2fr)', rank: 44, value: 'targetUrl' },
  { title: 'Blocked', value: 'blockedReason' },
  { title: 'Delivered', width: '5rem', rank: 26, as: 'number', value: 'delivered' },
  { title: 'Failed', width: '4rem', as: 'number', value: 'failed', isBad: ({ failed }) => failed > 0 },
  { title: 'Discarded', as: 'number', value: 'discarded' },
  { title: 'Queued', width: '4rem', rank: 36, as: 'number', value: 'queued' },
  { title: 'Failing since', width: '9.5rem', rank: 60, as: 'clock', value: 'failingSince' },
  { title: 'Next attempt', as: 'clock', value: 'nextAttemptAt' },
];

export function Endpoints() {
  const { data, error } = useOperation(listHealth, {}, { refetchInterval: POLL_MS });
  const [isChecking, setChecking] = useFlag('check');
  const [secret, setSecret] = useState<string>();
  // Only their first result has the secret.
  const showSecret = (result: unknown): void => setSecret((result as ResultOf<typeof createWebhook>).signingSecret);
  return (
    <TableView<EndpointHealth>
      title="Endpoints"
      path={PATH}
      samples={[{ op: listHealth, parts: {} }]}
      columns={FIELDS}
      rows={data?.data}
      error={error}
      empty="No endpoints yet"
      actions={
        <>
          <Button onClick={() => setChecking(true)}>Check a signature</Button>
          <NewButton title="New endpoint" op={createWebhook} onSaved={showSecret} />
        </>
      }
      aside={
        <>
          <EndpointDetails endpoints={data?.data} showSecret={showSecret} />
          {isChecking && <SignatureCheck onClose={() => setChecking(false)} />}
          {secret !== undefined && (
            <Dialog title="Signing secret" onClose={() => setSecret(undefined)}>
              <p>Store it now: it is not shown again. Receivers verify signatures with it.</p>
              <pre tabIndex={0}>{secret}</pre>
            </Dialog>
          )}
        </>
      }
    />
  );
}

interface DetailsProps {
  readonly endpoints: readonly EndpointHealth[] | undefined;
  readonly showSecret: (result: unknown) => void;
}

const EndpointDetails = ({ endpoints, showSecret }: DetailsProps) => (
  <RecordPanel<Webhook>
    label="Endpoint"
    path={PATH}
    op={getWebhook}
    getTitle={({ name }) => name}
    edit={{ op: updateWebhook, omit: ['rotateSecret'] }}
    remove={{ op: deleteWebhook, note: 'Its deliveries are deleted with it.' }}
    actions={({ id, name }) => (
      <>
        <EndpointTest id={id} />
        <DialogButton label="Replay" op={createReplay}>
          {(close) => <Replay webhookId={id} onClose={close} />}
        </DialogButton>
        <ConfirmButton
          label="Rotate secret"
          title={`Rotate the secret of ${name}?`}
          action="Rotate"
          sample={{ op: updateWebhook, parts: { ...toParts(updateWebhook, id), body: { rotateSecret: true } } }}
          note="Deliveries are signed with both secrets for a time, in which receivers change to the new one."
          onDone={showSecret}
        />
      </>
    )}
  >
    {({ id, description, subscribedEvents }) => (
      <>
        {endpoints
          ?.filter((endpoint) => endpoint.id === id)
          .map((endpoint) => (
            <Facts key={id} of={endpoint} cells={[...FIELDS, { title: 'Description', value: () => description }]} />
          ))}
        <SubscribedEvents events={subscribedEvents} />
      </>
    )}
  </RecordPanel>
);

function SubscribedEvents({ events }: { readonly events: Webhook['subscribedEvents'] }) {
  const sample: Cell<string> = {
    title: 'Sample',
    isNumber: true,
    value: (event) => event,
    render: (event) => <TriggerButton event={event} />,
  };
  return (
    <TableSection
      title="Events"
      rows={events}
      columns={[{ title: 'Event', as: 'code', value: (event) => event }, ...(useAccess().can(triggerEvent) ? [sample] : [])]}
    />
  );
}

const TriggerButton = ({ event }: { readonly event: string }) => (
  <ConfirmButton
    label="Send a sample"
    title={`Send a sample of ${event}?`}
    action="Send"
    sample={{ op: triggerEvent, parts: { body: { event } } }}
    note="Every endpoint that subscribes to it receives a signed delivery."
  />
);

function EndpointTest({ id }: { readonly id: string }) {
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => call(testWebhook, { params: { webhook_id: id }, body: {} }),
  });
  const result = data?.data;
  const texts = result && [
    result.ok ? 'Reached' : (result.error ?? 'Failed'),
    result.httpStatus !== null && `HTTP ${String(result.httpStatus)}`,
    `${String(result.milliseconds)} ms`,
  ];
  return (
    <>
      <Button kind="main" op={testWebhook} onClick={mutate}>
        Test
      </Button>
      <span role="status" className="text-soft">
        {isPending ? 'Testing…' : error ? describeError(error) : texts?.filter(Boolean).join(', ')}
      </span>
    </>
  );
}
