/** The latest requests to the API, requests by minute, and the usage of the billing period. */
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { listRecentRequests } from '../../contract/admin/daemon.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { getUsage } from '../../contract/resources/usage.ts';
import { useFormat } from '../api/format.ts';
import { useOperation, useOrganization } from '../api/queries.ts';
import { Chart } from '../ui/chart.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Choice } from '../ui/choice.tsx';
import { Panel } from '../ui/dialog.tsx';
import { Facts, Status } from '../ui/elements.tsx';
import { LogView } from '../ui/log-view.tsx';
import { useSubPath } from '../ui/selection.ts';

type Recent = ResultOf<typeof listRecentRequests>['data'];
type Entry = Recent['requests'][number];

const POLL_MS = 2_000;
const CLASSES = ['2xx', '4xx', '5xx'] as const;

const getTone = (status: number | null): string => (status === null || status >= 500 ? 'bad' : status >= 400 ? 'busy' : 'good');

const COLUMNS: readonly Column<Entry>[] = [
  { title: 'Method', width: '4.5rem', value: ({ method }) => method },
  { title: 'Path', width: 'minmax(9rem, 3fr)', value: ({ path }) => path },
  {
    title: 'Status',
    width: '4rem',
    value: ({ status }) => status,
    render: ({ status }) => <Status value={String(status ?? 'lost')} tone={getTone(status)} />,
  },
  { title: 'Capability', width: 'minmax(8rem, 1.5fr)', rank: 52, value: ({ operationId }) => operationId },
  { title: 'Error', width: 'minmax(7rem, 1fr)', rank: 64, value: ({ errorCode }) => errorCode },
  { title: 'Key', width: '10rem', rank: 58, value: ({ keyPrefix }) => keyPrefix },
  {
    title: 'ms',
    width: '4rem',
    rank: 30,
    isNumber: true,
    value: ({ milliseconds }) => milliseconds,
    render: ({ milliseconds }) => milliseconds.toFixed(1),
  },
  { title: 'At', width: '9.5rem', rank: 40, as: 'clock', value: ({ at }) => at },
];

export default function Requests() {
  const [id] = useSubPath();
  const [, navigate] = useLocation();
  const [statusClass, setStatusClass] = useState('');
  const { data, error } = useOperation(listRecentRequests, {}, { refetchInterval: POLL_MS });
  const rows = data?.data.requests
    // Those to its own paths are not of the API.
    .filter(({ path }) => !path.startsWith('/console'))
    .filter(({ status }) => statusClass === '' || String(status ?? 500).startsWith(statusClass.charAt(0)))
    .toReversed();
  const selected = data?.data.requests.find((row) => row.id === id);
  return (
    <LogView<Entry>
      title="Requests"
      samples={[
        { op: listRecentRequests, parts: {} },
        { op: getUsage, parts: {} },
      ]}
      columns={COLUMNS}
      rows={rows}
      error={error}
      getId={(row) => row.id}
      getHref={(row) => `/requests/${row.id}`}
      selectedId={id}
      tabs={<Usage recent={data?.data} />}
      toolbar={<Choice label="Status" value={statusClass} values={CLASSES} onChange={setStatusClass} />}
      empty="No requests since the start of the service"
    >
      {selected && <RequestDetails request={selected} onClose={() => navigate('/requests')} />}
    </LogView>
  );
}

/** Requests of all keys in each of the last sixty minutes, the current one last. */
export function sumPerMinute(recent: Recent | undefined): readonly number[] {
  const sums = Array.from({ length: 60 }, () => 0);
  for (const { perMinute } of recent?.perMinute ?? []) for (const [at, count] of perMinute.entries()) sums[at] = (sums[at] ?? 0) + count;
  return sums;
}

function Usage({ recent }: { readonly recent: Recent | undefined }) {
  const { data } = useOperation(getUsage, {});
  const { number, day } = useFormat();
  const timeZone = useOrganization()?.timezone;
  const sums = sumPerMinute(recent);
  const text = sums.join(' ');
  const [times, values] = useMemo(() => {
    const now = Math.floor(Date.now() / 60_000) * 60;
    const counts = text.split(' ').map(Number);
    return [counts.map((_count, at) => now - (counts.length - 1 - at) * 60), counts];
  }, [text]);
  const usage = data?.data;
  return (
    <div className="columns">
      <div className="card block">
        <p className="soft chart-title">Requests a minute, last hour</p>
        <Chart label="Requests a minute" times={times} values={values} kind="bars" timeZone={timeZone} />
      </div>
      <div className="card block">
        <Facts
          facts={[
            ['This period', usage && `${number(usage.requests.total)} requests`],
            ['Since', day(usage?.billing_period.start)],
            ['Limit of this session', usage && `${number(usage.rate_limit.limit_per_minute)} a minute (${usage.rate_limit.tier})`],
            ['Remaining now', number(usage?.rate_limit.remaining_per_minute)],
            [
              'Most used',
              usage?.requests.by_capability
                .toSorted((a, b) => b.count - a.count)
                .slice(0, 4)
                .map(({ capability, count }) => `${capability} ${number(count)}`)
                .join('\n'),
            ],
          ]}
        />
      </div>
    </div>
  );
}

function RequestDetails({ request, onClose }: { readonly request: Entry; readonly onClose: () => void }) {
  const { clock } = useFormat();
  return (
    <Panel title={`${request.method} ${request.path}`} label="Request" onClose={onClose}>
      <Facts
        facts={[
          ['Status', <Status value={String(request.status ?? 'connection lost')} tone={getTone(request.status)} />],
          ['Capability', request.operationId],
          ['Error', request.errorCode],
          ['Message', request.errorMessage],
          ['Duration', `${request.milliseconds.toFixed(1)} ms`],
          ['Key', request.keyPrefix],
          ['Request id', <code>{request.requestId}</code>],
          ['At', clock(request.at)],
        ]}
      />
    </Panel>
  );
}
