/** The change log, newest first. */
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { CHANGED_RESOURCES } from '../../contract/change-events.ts';
import { type ChangeEventEntry, listEvents } from '../../contract/resources/events.ts';
import { toLabel, useFormat } from '../api/format.ts';
import type { Column } from '../ui/data-table.tsx';
import { Choice } from '../ui/choice.tsx';
import { Panel } from '../ui/dialog.tsx';
import { Facts } from '../ui/elements.tsx';
import { LogView } from '../ui/log-view.tsx';
import { Payload } from '../ui/payload.tsx';
import { useSubPath } from '../ui/selection.ts';
import { ResourceLink } from '../ui/resource-link.tsx';
import { useEventLog } from './event-log.ts';

const COLUMNS: readonly Column<ChangeEventEntry>[] = [
  { title: 'No.', width: '3.5rem', isNumber: true, value: ({ sequence }) => sequence },
  { title: 'Event', width: 'minmax(9rem, 1fr)', value: ({ event }) => event },
  { title: 'Record', width: 'minmax(6rem, 1fr)', rank: 20, value: ({ data, resourceId }) => nameRecord(data) ?? resourceId },
  { title: 'Changed', width: 'minmax(8rem, 2fr)', rank: 50, value: ({ data }) => toList(data['changes']) },
  { title: 'At', width: '9.5rem', rank: 28, as: 'clock', value: ({ occurredAt }) => occurredAt },
];

const toList = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');

function nameRecord(data: Readonly<Record<string, unknown>>): string | undefined {
  const name = data['orderNumber'] ?? data['documentNumber'] ?? data['sku'] ?? data['name'];
  return typeof name === 'string' ? name : undefined;
}

/** In hours. */
const RANGES: Readonly<Record<string, number>> = { '1 hour': 1, '7 days': 168, 'all kept': 0 };
const DEFAULT_HOURS = 24;

function toStart(range: string): string | undefined {
  const hours = RANGES[range] ?? DEFAULT_HOURS;
  return hours === 0 ? undefined : new Date(Date.now() - hours * 3_600_000).toISOString();
}

export default function Events() {
  const [id] = useSubPath();
  const [, navigate] = useLocation();
  const [resource, setResource] = useState('');
  const [range, setRange] = useState('');
  // Of the time at which it was chosen.
  const since = useMemo(() => toStart(range), [range]);
  const { entries, error } = useEventLog(since);
  const rows = entries?.filter(({ resourceType }) => resource === '' || resourceType === resource).toReversed();
  const selected = entries?.find((row) => row.id === id);
  return (
    <LogView<ChangeEventEntry>
      title="Events"
      samples={[{ op: listEvents, parts: { query: { ...(since !== undefined && { since }) } } }]}
      columns={COLUMNS}
      rows={rows}
      error={error}
      getId={(row) => row.id}
      getHref={(row) => `/events/${row.id}`}
      selectedId={id}
      toolbar={
        <>
          <Choice label="Resource" value={resource} values={CHANGED_RESOURCES} toText={toLabel} onChange={setResource} />
          <Choice label="Since" none="1 day" value={range} values={Object.keys(RANGES)} onChange={setRange} />
        </>
      }
      empty="No events since then"
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
