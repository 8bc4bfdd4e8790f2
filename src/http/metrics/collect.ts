/** Collects the metrics of a service and its process as text. Loaded when someone asks for them. docs/operations.md lists them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { findNotReadyReason } from '../readiness.ts';
import type { Service } from '../service.ts';
import { watchEventLoopDelay } from './event-loop-delay.ts';
import { type MetricFamily, type Sample, formatMetrics } from './exposition.ts';
import { DURATION_BUCKETS_S, type RequestSeries } from './service-metrics.ts';

const STORE_TIMEOUT_MS = 2_000;

/** Each reader needs its own, because quantiles are those since its last call. */
export function createMetricsCollector(service: Service): () => Promise<string> {
  const getEventLoopDelay = watchEventLoopDelay();
  return async () =>
    formatMetrics([
      ...listProcessMetrics(service),
      getEventLoopDelay(),
      ...listRequestMetrics(service),
      ...(await listDeliveryMetrics(service)),
      ...listStoreMetrics(service),
    ]);
}

const gauge = (name: string, help: string, value: number | undefined, labels?: Readonly<Record<string, string>>): MetricFamily => ({
  name,
  type: 'gauge',
  help,
  samples: value === undefined ? [] : [{ value, ...(labels && { labels }) }],
});

const counts = (name: string, help: string, label: string, values: readonly (readonly [string, number])[]): MetricFamily => ({
  name,
  type: 'counter',
  help,
  samples: values.map(([labelValue, value]) => ({ labels: { [label]: labelValue }, value })),
});

function listProcessMetrics({ version, readinessConditions }: Service): MetricFamily[] {
  const { user, system } = process.cpuUsage();
  const cpuSeconds: Sample = { value: (user + system) / 1e6 };
  const isReady = findNotReadyReason(readinessConditions) === undefined;
  return [
    gauge('stockroom_build_info', 'Version of stockroom and Node. Always 1.', 1, { version, node: process.versions.node }),
    gauge('stockroom_ready', 'Whether requests should be sent to this daemon, as /readyz answers.', Number(isReady)),
    gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', Date.now() / 1e3 - process.uptime()),
    { name: 'process_cpu_seconds_total', type: 'counter', help: 'Processor time of the process.', samples: [cpuSeconds] },
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', process.memoryUsage.rss()),
  ];
}

function listRequestMetrics({ metrics: { requests, rateLimited } }: Service): MetricFamily[] {
  const series = requests.list().map((each) => ({ ...each, labels: { operation: each.operation, status: each.statusClass } }));
  return [
    {
      name: 'stockroom_http_requests_total',
      type: 'counter',
      help: 'Requests by operation and class of their status.',
      samples: series.map(({ labels, buckets }) => ({ labels, value: sum(buckets) })),
    },
    {
      name: 'stockroom_http_request_duration_seconds',
      type: 'histogram',
      help: 'Time from the header of a request to the end of its response.',
      samples: series.flatMap(({ labels, buckets, totalSeconds }) => [
        ...toCumulativeBuckets(buckets).map(([le, value]) => ({ suffix: '_bucket', labels: { ...labels, le }, value })),
        { suffix: '_sum', labels, value: totalSeconds },
        { suffix: '_count', labels, value: sum(buckets) },
      ]),
    },
    counts('stockroom_http_rate_limited_total', 'Requests and tool calls rejected by a rate limit.', 'limit', rateLimited.list()),
  ];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The requests that took at most as long as each upper bound. */
function toCumulativeBuckets(buckets: RequestSeries['buckets']): [le: string, count: number][] {
  let total = 0;
  return buckets.map((count, at) => [String(DURATION_BUCKETS_S[at] ?? '+Inf'), (total += count)]);
}

async function listDeliveryMetrics({ store, metrics: { deliveryAttempts } }: Service): Promise<MetricFamily[]> {
  return [
    counts(
      'stockroom_webhook_delivery_attempts_total',
      'Attempts by the state in which they left their delivery.',
      'outcome',
      deliveryAttempts.list(),
    ),
    gauge(
      'stockroom_webhook_deliveries_open',
      'Deliveries that are due or wait for a retry, in the whole store.',
      // A store that cannot be read, or not in time, must not hide all other metrics.
      await Promise.race([countOpenDeliveries(store), sleep(STORE_TIMEOUT_MS, undefined, { ref: false })]).catch(() => undefined),
    ),
  ];
}

/** Only open deliveries are in a queue, so a range over all queues is a range over these. */
const OPEN = [{ field: 'queue', from: '' }];

async function countOpenDeliveries(store: Service['store']): Promise<number> {
  let total = 0;
  for (const { tenant } of await store.readFirstRows('deliveries', { where: OPEN, orderBy: 'queue' }))
    total += await store.read(tenant, (tx) => tx.deliveries.count({ where: OPEN }));
  return total;
}

function listStoreMetrics({ metrics }: Service): MetricFamily[] {
  const { rows, journalBytes, isUnavailable } = metrics.getStoreFigures();
  return [
    gauge('stockroom_store_rows', 'Rows of all tables and tenants.', rows),
    gauge('stockroom_store_journal_bytes', 'Journal that the next start replays.', journalBytes),
    gauge('stockroom_store_unavailable', 'Whether changes are rejected, for example because the disk is full.', Number(isUnavailable)),
  ];
}
