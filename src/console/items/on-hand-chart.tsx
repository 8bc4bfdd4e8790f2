/** On hand over time at one site, from the change log. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { listEvents } from '../../contract/resources/events.ts';
import { call } from '../api/client.ts';
import { useOrganization } from '../api/queries.ts';
import { Chart } from '../ui/chart.tsx';

const PAGES_MAX = 10;

interface Point {
  readonly time: number;
  readonly onHand: number;
}

async function readHistory(resourceId: string): Promise<readonly Point[]> {
  const points: Point[] = [];
  let cursor = '';
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { data, pagination } = await call(listEvents, {
      query: { cursor, types: 'stock_level.updated', resource_id: resourceId, limit: 200 },
    });
    for (const { occurredAt, data: level } of data)
      if (typeof level['onHand'] === 'number') points.push({ time: Date.parse(occurredAt) / 1_000, onHand: level['onHand'] });
    if (!pagination.hasMore) break;
    cursor = pagination.nextCursor;
  }
  return points;
}

export function OnHandChart({ itemId, siteId, siteName }: { readonly itemId: string; readonly siteId: string; readonly siteName: string }) {
  const resourceId = `${itemId}:${siteId}`;
  const { data } = useQuery({ queryKey: [listEvents.id, 'on hand', resourceId], queryFn: () => readHistory(resourceId) });
  const timeZone = useOrganization()?.timezone;
  const [times, values] = useMemo(() => {
    const points = data ?? [];
    return [points.map(({ time }) => time), points.map(({ onHand }) => onHand)];
  }, [data]);
  if (times.length < 2) return null;
  return (
    <>
      <p className="soft chart-title">On hand, {siteName}</p>
      <Chart label={`On hand at ${siteName}`} times={times} values={values} kind="steps" timeZone={timeZone} />
    </>
  );
}
