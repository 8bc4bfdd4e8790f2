/** The latest requests to the API, requests by minute, and the usage of the billing period. */
import { useMemo, useState } from 'react';
import { listRecentRequests } from '../../contract/admin/daemon.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { getUsage } from '../../contract/resources/usage.ts';
import { useOperation } from '../api/index.ts';
import { type Cell, Chart, Choice, Facts, LogView, Status } from '../ui/index.ts';

type Recent = ResultOf<typeof listRecentRequests>['data'];
type Entry = Recent['requests'][number];

const POLL_MS = 2_000;
const CLASSES = ['2xx', '4xx', '5xx'] as const;

const getTone = (status: number | null): string => (status === null || status >= 500 ? 'bad' : status >= 400 ? 'busy' : 'good');

const FIELDS: readonly Cell<Entry>[] = [
  { title: 'Method', width: '4.5rem', value: 'method', isListOnly: true },
  { title: 'Path', width: 'minmax(9rem, 3fr)', value: 'path', isListOnly: true },
  {
    title: 'Status',
    width: '4rem',
    value: 'status',
    render: ({ status }) => <Status value={String(status ?? 'lost')} tone={getTone(status)} />,
  },
  { title: 'Capability', width: 'minmax(8rem, 1.5fr)', rank: 52, value: 'operationId' },
  { title: 'Error', width: 'minmax(7rem, 1fr)', rank: 64, value: 'errorCode' },
  { title: 'Message', value: 'errorMessage' },
  { title: 'Key', width: '10rem', rank: 58, value: 'keyPrefix' },
  { title: 'ms', width: '4rem', rank: 30, isNumber: true, value: ({ milliseconds }) => milliseconds.toFixed(1) },
  { title: 'Request id', as: 'code', value: 'requestId' },
  { title: 'At', width: '9.5rem', rank: 40, as: 'clock', value: 'at' },
];

export function Requests() {
  const [statusClass, setStatusClass] = useState('');
  const { data, error } = useOperation(listRecentRequests, {}, { refetchInterval: POLL_MS });
  const rows = data?.data.requests
    // Those to its own paths are not of the API.
    .filter(({ path }) => !path.startsWith('/console'))
    .filter(({ status }) => statusClass === '' || String(status ?? 500).startsWith(statusClass.charAt(0)))
    .toReversed();
  return (
    <LogView<Entry>
      title="Requests"
      path="/requests"
      label="Request"
      samples={[listRecentRequests, getUsage].map((op) => ({ op, parts: {} }))}
      columns={FIELDS}
      rows={rows}
      error={error}
      tabs={<Usage keys={data?.data.perMinute} />}
      toolbar={<Choice label="Status" value={statusClass} values={CLASSES} onChange={setStatusClass} />}
      empty="No requests since the start of the service"
      getTitle={({ method, path }) => `${method} ${path}`}
    />
  );
}

type UsageSummary = ResultOf<typeof getUsage>['data'];

const USAGE: readonly Cell<UsageSummary>[] = [
  { title: 'This period', value: ({ requests }) => requests.total, unit: () => ({ symbol: 'requests' }) },
  { title: 'Since', as: 'day', value: (usage) => usage.billing_period.start },
  {
    title: 'Limit of this session',
    value: ({ rate_limit: { limit_per_minute, tier } }) => `${String(limit_per_minute)} a minute (${tier})`,
  },
  { title: 'Remaining now', as: 'number', value: ({ rate_limit }) => rate_limit.remaining_per_minute },
  {
    title: 'Most used',
    value: ({ requests }) => requests.by_capability,
    render: ({ requests }, { number }) =>
      requests.by_capability
        .toSorted((a, b) => b.count - a.count)
        .slice(0, 4)
        .map(({ capability, count }) => `${capability} ${number(count)}`)
        .join('\n'),
  },
];

const MINUTES = 60;

/** Requests of all keys in each of the last sixty minutes, the current one last. */
function Usage({ keys }: { readonly keys: Recent['perMinute'] | undefined }) {
  const { data } = useOperation(getUsage, {});
  const [times, values] = useMemo(() => {
    const now = Math.floor(Date.now() / 60_000) * 60;
    const minutes = Array.from({ length: MINUTES }, (_none, at) => at);
    return [
      minutes.map((at) => now - (MINUTES - 1 - at) * 60),
      minutes.map((at) => (keys ?? []).reduce((sum, { perMinute }) => sum + (perMinute[at] ?? 0), 0)),
    ];
  }, [keys]);
  return (
    <div className="columns">
      <div className="card px-4 pt-3 pb-4">
        <p className="text-xs text-soft">Requests a minute, last hour</p>
        <Chart label="Requests a minute" times={times} values={values} kind="bars" />
      </div>
      <div className="card px-4 pt-3 pb-4">{data && <Facts of={data.data} cells={USAGE} />}</div>
    </div>
  );
}
