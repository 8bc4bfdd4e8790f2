/** One delivery: payload, request headers and attempts; resends it. */
import { resendDelivery, showDelivery } from '../../contract/admin/webhooks.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { useFormat } from '../api/format.ts';
import { useOperation } from '../api/queries.ts';
import { ConfirmButton } from '../ui/confirm.tsx';
import { Facts, Section, Status } from '../ui/elements.tsx';
import { Payload } from '../ui/payload.tsx';
import { RecordPanel } from '../ui/record-panel.tsx';
import { TableSection } from '../ui/mini-table.tsx';

const POLL_MS = 2_000;

interface DetailsProps {
  readonly id: string;
  readonly endpoints: ReadonlyMap<string, string>;
  readonly onClose: () => void;
}

export function DeliveryDetails({ id, endpoints, onClose }: DetailsProps) {
  const parts = { params: { delivery_id: id } };
  return (
    <RecordPanel
      label="Delivery"
      read={useOperation(showDelivery, parts, { refetchInterval: POLL_MS })}
      samples={[{ op: showDelivery, parts }]}
      getTitle={({ eventType }) => eventType}
      actions={() => (
        <ConfirmButton
          label="Resend"
          kind="main"
          title="Resend this delivery?"
          action="Resend"
          samples={[{ op: resendDelivery, parts: { ...parts, body: {} } }]}
        >
          <p>The endpoint receives the event once more, with the same event id.</p>
        </ConfirmButton>
      )}
      onClose={onClose}
    >
      {(delivery) => <DeliveryBody delivery={delivery} endpoint={endpoints.get(delivery.webhookId) ?? delivery.webhookId} />}
    </RecordPanel>
  );
}

type Delivery = ResultOf<typeof showDelivery>['data'];

function DeliveryBody({ delivery, endpoint }: { readonly delivery: Delivery; readonly endpoint: string }) {
  const { clock } = useFormat();
  const { request, history } = delivery;
  const failed = history.findLast(({ response }) => response !== null)?.response;
  return (
    <>
      <Facts
        facts={[
          ['Status', <Status value={delivery.status} />],
          ['Endpoint', endpoint],
          ['URL', request?.url],
          ['Error', delivery.lastError],
          ['Next attempt', delivery.nextAttemptAt && clock(delivery.nextAttemptAt)],
          ['Created', clock(delivery.createdAt)],
          ['Event id', <code>{delivery.eventId}</code>],
        ]}
      />
      <TableSection
        title="Attempts"
        rows={history}
        empty="Not attempted yet"
        columns={[
          { title: 'At', render: ({ at }) => clock(at) },
          { title: 'HTTP', as: 'number', value: ({ httpStatus }) => httpStatus },
          { title: 'ms', as: 'number', value: ({ milliseconds }) => milliseconds },
          { title: 'Error', render: ({ error }) => error ?? '–' },
        ]}
      />
      {failed && (
        <Section title="Response">
          <Payload text={failed.body} label="Response body" />
        </Section>
      )}
      {request && (
        <>
          <Section title="Payload">
            <Payload text={request.body} label="Payload" />
          </Section>
          <Section title={request.asSent ? 'Headers as sent' : 'Headers of the next attempt'}>
            <Facts facts={Object.entries(request.headers).map(([name, value]) => [name, <code>{value}</code>])} />
          </Section>
        </>
      )}
    </>
  );
}
