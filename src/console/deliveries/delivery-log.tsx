/** The latest deliveries of all endpoints, read again every two seconds. */
import { type OwnedDelivery, listHealth, tailDeliveries } from '../../contract/admin/webhooks.ts';
import { useOperation } from '../api/index.ts';
import { type Cell, Filters, TableView, UrlChoice, useUrl } from '../ui/index.ts';
import { DeliveryDetails } from './delivery-details.tsx';

const POLL_MS = 2_000;
const ROWS_MAX = 300;

const getColumns = (nameEndpoint: (id: string) => string): readonly Cell<OwnedDelivery>[] => [
  { title: 'Event', width: 'minmax(8rem, 1.5fr)', value: 'eventType' },
  { title: 'Status', width: '6rem', as: 'status', value: 'status' },
  { title: 'Endpoint', width: 'minmax(7rem, 1fr)', rank: 38, value: ({ webhookId }) => nameEndpoint(webhookId) },
  { title: 'Attempts', width: '4.5rem', rank: 46, isNumber: true, value: 'attempts' },
  { title: 'HTTP', width: '3.5rem', rank: 38, isNumber: true, value: 'lastHttpStatus' },
  { title: 'Error', width: 'minmax(6rem, 1fr)', rank: 56, value: 'lastError' },
  { title: 'ms', width: '4rem', rank: 50, isNumber: true, value: 'lastMilliseconds' },
  { title: 'Created', width: '9.5rem', rank: 32, as: 'clock', value: 'createdAt' },
];

export function DeliveryLog() {
  const { getQuery } = useUrl();
  const query = { ...getQuery(tailDeliveries), limit: ROWS_MAX };
  const { data, error } = useOperation(tailDeliveries, { query }, { refetchInterval: POLL_MS });
  const health = useOperation(listHealth, {});
  const names = new Map(health.data?.data.map((endpoint) => [endpoint.id, endpoint.name]));
  const nameEndpoint = (webhookId: string): string => names.get(webhookId) ?? webhookId;
  return (
    <TableView<OwnedDelivery>
      title="Deliveries"
      path="/deliveries"
      samples={[{ op: tailDeliveries, parts: { query } }]}
      columns={getColumns(nameEndpoint)}
      // The log is oldest change first.
      rows={data?.data.toReversed()}
      error={error}
      toolbar={
        <>
          <Filters op={tailDeliveries} names={['status', 'event_type']} />
          <UrlChoice name="webhook_id" label="Endpoint" values={[...names.keys()]} toText={nameEndpoint} />
        </>
      }
      empty="No deliveries"
      aside={<DeliveryDetails nameEndpoint={nameEndpoint} />}
    />
  );
}
