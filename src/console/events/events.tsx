/** The change log, newest first. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CHANGED_RESOURCES } from '../../contract/change-events.ts';
import { type ChangeEventEntry, listEvents } from '../../contract/resources/events.ts';
import { call, queryClient, toLabel } from '../api/index.ts';
import { type Cell, Choice, LogView, toRecordPath, useSince } from '../ui/index.ts';

const FIELDS: readonly Cell<ChangeEventEntry>[] = [
  { title: 'No.', width: '3.5rem', isNumber: true, value: 'sequence' },
  { title: 'Event', width: 'minmax(9rem, 1.7fr)', value: 'event', isListOnly: true },
  {
    title: 'Record',
    width: 'minmax(6rem, 1fr)',
    rank: 20,
    value: ({ data, resourceId }) => data['orderNumber'] ?? data['documentNumber'] ?? data['sku'] ?? data['name'] ?? resourceId,
    href: ({ resourceType, resourceId }) => toRecordPath(resourceType, resourceId),
  },
  { title: 'Changed', width: 'minmax(8rem, 2fr)', rank: 50, value: ({ data }) => data['changes'] },
  { title: 'At', width: '9.5rem', rank: 28, as: 'clock', value: 'occurredAt' },
  { title: 'Events of it', as: 'code', value: ({ resourceId }) => `npx stockroom events list --resource-id ${resourceId}` },
];

const RANGES = { '1 hour': 1, '7 days': 168, 'all kept': 0 };

interface EventLog {
  /** Oldest first. */
  readonly entries: readonly ChangeEventEntry[];
  readonly cursor: string;
}

/** Of which the newest are kept. */
const KEPT = 10_000;

/** The change log since a time; when there is more, reads on from where it was. */
function useEventLog(since: string | undefined) {
  const queryKey = [listEvents.id, since];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const state = queryClient.getQueryState<EventLog>(queryKey);
      // Its cursor may be too old.
      let log = state?.error ? undefined : state?.data;
      for (;;) {
        const position = log ? { cursor: log.cursor } : { ...(since !== undefined && { since }) };
        const { data, pagination } = await call(listEvents, { query: { ...position, limit: 200 } }, { signal });
        log = { entries: [...(log?.entries ?? []), ...data].slice(-KEPT), cursor: pagination.nextCursor };
        if (!pagination.hasMore) return log;
      }
    },
  });
}

export function Events() {
  const [resource, setResource] = useState('');
  const { since, choice } = useSince('Since', RANGES);
  const { data, error } = useEventLog(since);
  return (
    <LogView<ChangeEventEntry>
      title="Events"
      path="/events"
      label="Event"
      samples={[{ op: listEvents, parts: { query: { since } } }]}
      columns={FIELDS}
      rows={data?.entries.filter(({ resourceType }) => resource === '' || resourceType === resource).toReversed()}
      error={error}
      toolbar={
        <>
          <Choice label="Resource" value={resource} values={CHANGED_RESOURCES} toText={toLabel} onChange={setResource} />
          {choice}
        </>
      }
      empty="No events since then"
      getTitle={({ event }) => event}
      payload={{ title: 'Data', read: ({ data: record }) => record }}
    />
  );
}
