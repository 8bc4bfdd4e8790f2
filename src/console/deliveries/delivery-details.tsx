/** One delivery: payload, request headers and attempts; resends it. */
import { resendDelivery, showDelivery } from '../../contract/admin/webhooks.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { type Cell, ConfirmButton, Facts, Payload, RecordPanel, Section, TableSection, toParts } from '../ui/index.ts';

type Delivery = ResultOf<typeof showDelivery>['data'];
const POLL_MS = 2_000;

const ATTEMPTS: readonly Cell<Delivery['history'][number]>[] = [
  { title: 'At', as: 'clock', isNumber: false, value: 'at' },
  { title: 'HTTP', as: 'number', value: 'httpStatus' },
  { title: 'ms', as: 'number', value: 'milliseconds' },
  { title: 'Error', value: 'error' },
];

export const DeliveryDetails = ({ nameEndpoint }: { readonly nameEndpoint: (id: string) => string }) => (
  <RecordPanel<Delivery>
    label="Delivery"
    path="/deliveries"
    op={showDelivery}
    refetchInterval={POLL_MS}
    getTitle={({ eventType }) => eventType}
    actions={({ id }) => (
      <ConfirmButton
        label="Resend"
        kind="main"
        title="Resend this delivery?"
        action="Resend"
        sample={{ op: resendDelivery, parts: { ...toParts(resendDelivery, id), body: {} } }}
      >
        <p>The endpoint receives the event once more, with the same event id.</p>
      </ConfirmButton>
    )}
  >
    {(delivery) => (
      <>
        <Facts
          of={delivery}
          cells={[
            { title: 'Status', as: 'status', value: 'status' },
            { title: 'Endpoint', value: ({ webhookId }) => nameEndpoint(webhookId) },
            { title: 'URL', value: ({ request }) => request?.url },
            { title: 'Error', value: 'lastError' },
            { title: 'Next attempt', as: 'clock', value: 'nextAttemptAt' },
            { title: 'Created', as: 'clock', value: 'createdAt' },
            { title: 'Event id', as: 'code', value: 'eventId' },
          ]}
        />
        <TableSection title="Attempts" rows={delivery.history} empty="Not attempted yet" columns={ATTEMPTS} />
        <Bodies delivery={delivery} />
      </>
    )}
  </RecordPanel>
);

const toHeaderCell = (title: string): Cell<Readonly<Record<string, string>>> => ({ title, as: 'code', value: (headers) => headers[title] });

function Bodies({ delivery: { request, history } }: { readonly delivery: Delivery }) {
  const failed = history.findLast(({ response }) => response !== null)?.response;
  return (
    <>
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
            <Facts of={request.headers} cells={Object.keys(request.headers).map(toHeaderCell)} />
          </Section>
        </>
      )}
    </>
  );
}
