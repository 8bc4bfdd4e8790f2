/** Endpoints with the answer times of their deliveries. */
import type { EndpointRow, State } from '../state/model.ts';
import { listLatestDeliveries } from './delivery-counts.ts';
import { type Column, dimColumn, durationColumn } from './table.ts';
import { endpointQueue, endpointStatus, isFailing } from './endpoints.ts';

interface EndpointSummary extends EndpointRow {
  /** Of the latest deliveries of all endpoints, in milliseconds; null without an answer. */
  readonly median: number | null;
  readonly p95: number | null;
}

/** Failing endpoints first, then those that have the most to send. */
export function summarizeEndpoints(state: State): readonly EndpointSummary[] {
  const byEndpoint = Map.groupBy(listLatestDeliveries(state), ({ webhookId }) => webhookId);
  const rank = (row: EndpointRow): number => (isFailing(row) ? 0 : row.status === 'active' ? 1 : 2);
  return state.rows.endpoints
    .map((endpoint): EndpointSummary => {
      const deliveries = byEndpoint.get(endpoint.id) ?? [];
      const times = deliveries.flatMap(({ lastMilliseconds }) => lastMilliseconds ?? []).toSorted((a, b) => a - b);
      return { ...endpoint, median: getPercentile(times, 50), p95: getPercentile(times, 95) };
    })
    .toSorted((a, b) => rank(a) - rank(b) || (b.queued ?? 0) - (a.queued ?? 0));
}

/** The nearest rank of sorted values; null without values. */
export function getPercentile(sorted: readonly number[], percent: number): number | null {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? null;
}

export const endpointColumns: readonly Column<EndpointSummary>[] = [
  { title: 'ENDPOINT', width: 12, rank: 1, text: ({ name }) => name },
  endpointStatus,
  endpointQueue(2),
  durationColumn('MEDIAN', { width: 6, rank: 4 }, ({ median }) => median),
  durationColumn('P95', { width: 6, rank: 3 }, ({ p95 }) => p95),
  dimColumn('ERROR', { width: 12, rank: 5 }, ({ lastError }) => lastError ?? ''),
];
