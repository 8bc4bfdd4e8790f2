/** The latest deliveries of all endpoints, read again every two seconds. */
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { type OwnedDelivery, listHealth, tailDeliveries } from '../../contract/admin/webhooks.ts';
import { SUBSCRIBABLE_EVENTS } from '../../contract/events.ts';
import { DELIVERY_STATUSES } from '../../contract/resources/webhooks.ts';
import { toLabel } from '../api/format.ts';
import { useOperation } from '../api/queries.ts';
import type { Column } from '../ui/data-table.tsx';
import { Choice } from '../ui/choice.tsx';
import { useUrlFilters } from '../ui/filters.tsx';
import { LogView } from '../ui/log-view.tsx';
import { useWithFilters } from '../ui/selection.ts';
import { DeliveryDetails } from './delivery-details.tsx';

const POLL_MS = 2_000;
const ROWS_MAX = 300;

const getColumns = (endpoints: ReadonlyMap<string, string>): readonly Column<OwnedDelivery>[] => [
  { title: 'Event', width: 'minmax(8rem, 1.5fr)', value: ({ eventType }) => eventType },
  { title: 'Status', width: '6rem', as: 'status', value: ({ status }) => status },
  { title: 'Endpoint', width: 'minmax(7rem, 1fr)', rank: 38, value: ({ webhookId }) => endpoints.get(webhookId) ?? webhookId },
  { title: 'Attempts', width: '4.5rem', rank: 46, isNumber: true, value: ({ attempts }) => attempts },
  { title: 'HTTP', width: '3.5rem', rank: 38, isNumber: true, value: ({ lastHttpStatus }) => lastHttpStatus },
  { title: 'Error', width: 'minmax(6rem, 1fr)', rank: 56, value: ({ lastError }) => lastError },
  { title: 'ms', width: '4rem', rank: 50, isNumber: true, value: ({ lastMilliseconds }) => lastMilliseconds },
  { title: 'Created', width: '9.5rem', rank: 32, as: 'clock', value: ({ createdAt }) => createdAt },
];

export function DeliveryLog({ id, tabs }: { readonly id: string | undefined; readonly tabs: ReactNode }) {
  const filters = useUrlFilters(tailDeliveries);
  const [, navigate] = useLocation();
  const withFilters = useWithFilters();
  const query = { ...filters.query, limit: ROWS_MAX };
  const { data, error } = useOperation(tailDeliveries, { query }, { refetchInterval: POLL_MS });
  const health = useOperation(listHealth, {});
  const names = new Map(health.data?.data.map((endpoint) => [endpoint.id, endpoint.name]));
  // The log is oldest change first.
  const rows = data?.data.toReversed();
  return (
    <LogView<OwnedDelivery>
      title="Deliveries"
      samples={[{ op: tailDeliveries, parts: { query } }]}
      columns={getColumns(names)}
      rows={rows}
      error={error}
      getId={(row) => row.id}
      getHref={(row) => withFilters(`/deliveries/${row.id}`)}
      selectedId={id}
      tabs={tabs}
      toolbar={
        <>
          <Choice
            label="Status"
            value={filters.get('status')}
            values={DELIVERY_STATUSES}
            toText={toLabel}
            onChange={(value) => filters.set('status', value)}
          />
          <Choice
            label="Event"
            value={filters.get('event_type')}
            values={SUBSCRIBABLE_EVENTS}
            onChange={(value) => filters.set('event_type', value)}
          />
          <Choice
            label="Endpoint"
            value={filters.get('webhook_id')}
            values={[...names.keys()]}
            toText={(value) => names.get(value) ?? value}
            onChange={(value) => filters.set('webhook_id', value)}
          />
        </>
      }
      empty="No deliveries"
    >
      {id !== undefined && <DeliveryDetails id={id} endpoints={names} onClose={() => navigate(withFilters('/deliveries'))} />}
    </LogView>
  );
}
