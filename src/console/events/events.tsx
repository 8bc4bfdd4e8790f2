/** The change log, newest first: it follows new events, and reads the last day. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useLocation } from 'wouter';
import { CHANGED_RESOURCES } from '../../contract/change-events.ts';
import { type ChangeEventEntry, listEvents } from '../../contract/resources/events.ts';
import { call } from '../api/client.ts';
import { toLabel, useFormat } from '../api/format.ts';
import type { Column } from '../ui/data-table.tsx';
import { Choice } from '../ui/choice.tsx';
import { Panel } from '../ui/dialog.tsx';
import { Facts } from '../ui/elements.tsx';
import { LogView } from '../ui/log-view.tsx';
import { Payload } from '../ui/payload.tsx';
import { useSubPath } from '../ui/selection.ts';
import { ResourceLink } from '../ui/resource-link.tsx';

const PAGE = 200;

const COLUMNS: readonly Column<ChangeEventEntry>[] = [
  { title: 'No.', width: '5rem', isNumber: true, value: ({ sequence }) => sequence },
  { title: 'Event', width: 'minmax(9rem, 1fr)', value: ({ event }) => event },
  { title: 'Record', width: 'minmax(7rem, 1fr)', rank: 34, value: ({ data, resourceId }) => nameRecord(data) ?? resourceId },
  { title: 'Changed', width: 'minmax(8rem, 2fr)', rank: 50, value: ({ data }) => toList(data['changes']) },
  {
    title: 'At',
    width: '9.5rem',
    rank: 28,
    isNumber: true,
    value: ({ occurredAt }) => occurredAt,
    render: ({ occurredAt }, { clock }) => clock(occurredAt),
  },
];

const toList = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');

function nameRecord(data: Readonly<Record<string, unknown>>): string | undefined {
  const name = data['orderNumber'] ?? data['documentNumber'] ?? data['sku'] ?? data['name'];
  return typeof name === 'string' ? name : undefined;
}

export default function Events() {
  const [id] = useSubPath();
  const [, navigate] = useLocation();
  const [resource, setResource] = useState('');
  // The log is read forwards; the newest are on the last page.
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [listEvents.id, 'log'],
    queryFn: ({ pageParam, signal }) => call(listEvents, { query: { cursor: pageParam, limit: PAGE } }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => (pagination.hasMore ? pagination.nextCursor : undefined),
  });
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  // As long as pages follow, these are not the newest.
  if (hasNextPage && !isFetchingNextPage && (data?.pages.length ?? 0) < 50) readOn();
  const rows = data?.pages
    .flatMap((page) => page.data)
    .filter(({ resourceType }) => resource === '' || resourceType === resource)
    .toReversed();
  const selected = rows?.find((row) => row.id === id);
  return (
    <LogView<ChangeEventEntry>
      title="Events"
      samples={[{ op: listEvents, parts: { query: { cursor: 'latest', wait: 30 } } }]}
      columns={COLUMNS}
      rows={rows}
      error={error}
      getId={(row) => row.id}
      getHref={(row) => `/events/${row.id}`}
      selectedId={id}
      toolbar={<Choice label="Resource" value={resource} values={CHANGED_RESOURCES} toText={toLabel} onChange={setResource} />}
      empty="No events"
    >
      {selected && <EventDetails entry={selected} onClose={() => navigate('/events')} />}
    </LogView>
  );
}

function EventDetails({ entry, onClose }: { readonly entry: ChangeEventEntry; readonly onClose: () => void }) {
  const { clock } = useFormat();
  const parts = { query: { resource_id: entry.resourceId } };
  return (
    <Panel title={entry.event} label="Event" onClose={onClose}>
      <Facts
        facts={[
          ['Number', String(entry.sequence)],
          ['At', clock(entry.occurredAt)],
          ['Record', <ResourceLink type={entry.resourceType} id={entry.resourceId} name={nameRecord(entry.data) ?? entry.resourceId} />],
          ['Events of it', <code>{`npx stockroom events list --resource-id ${parts.query.resource_id}`}</code>],
        ]}
      />
      <h3 className="panel-title">Data</h3>
      <Payload text={JSON.stringify(entry.data)} label="Data" />
    </Panel>
  );
}
