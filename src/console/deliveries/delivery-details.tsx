/** One delivery: payload, request headers and attempts; resends it. */
import { resendDelivery, showDelivery } from '../../contract/admin/webhooks.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { type Cell, ConfirmButton, Payload, RecordPanel, TableSection, toParts } from '../ui/index.ts';

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
        sample={{ op: resendDelivery, parts: { ...toParts(resendDelivery, id), body: {} } }}
        note="The endpoint receives the event once more, with the same event id."
      />
    )}
    cells={[
      { title: 'Status', as: 'status', value: 'status' },
      { title: 'Endpoint', value: ({ webhookId }) => nameEndpoint(webhookId) },
      { title: 'URL', value: ({ request }) => request?.url },
      { title: 'Error', value: 'lastError' },
      { title: 'Next attempt', as: 'clock', value: 'nextAttemptAt' },
      { title: 'Created', as: 'clock', value: 'createdAt' },
      { title: 'Event id', as: 'code', value: 'eventId' },
    ]}
  >
    {(delivery) => (
      <>
        <TableSection title="Attempts" rows={delivery.history} empty="Not attempted yet" columns={ATTEMPTS} />
        <Bodies delivery={delivery} />
      </>
    )}
  </RecordPanel>
);

function Bodies({ delivery: { request, history } }: { readonly delivery: Delivery }) {
  const failed = history.findLast(({ response }) => response !== null)?.response;
  return (
    <>
      {failed && <Payload title="Response" text={failed.body} />}
      {request && (
        <>
          <Payload title="Payload" text={request.body} />
          <Payload
            title={request.asSent ? 'Headers as sent' : 'Headers of the next attempt'}
            text={Object.entries(request.headers)
              .map((header) => header.join(': '))
              .join('\n')}
          />
        </>
      )}
    </>
  );
}
