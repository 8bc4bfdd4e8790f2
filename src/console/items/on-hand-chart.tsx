/** On hand over time at one site, from the ledger. */
import { useMemo } from 'react';
import { listStockMovements } from '../../contract/resources/stock-movements.ts';
import { useOperation, useOrganization } from '../api/queries.ts';
import { Chart } from '../ui/chart.tsx';

interface OnHandProps {
  readonly itemId: string;
  readonly siteId: string;
  readonly siteName: string;
}

export function OnHandChart({ itemId, siteId, siteName }: OnHandProps) {
  const { data } = useOperation(listStockMovements, { query: { item_id: itemId, site_id: siteId, page_size: 200 } });
  const timeZone = useOrganization()?.timezone;
  const [times, values] = useMemo(() => {
    const entries = data?.data.filter(({ quantity }) => quantity !== 0).toReversed() ?? [];
    return [entries.map(({ postedAt }) => Date.parse(postedAt) / 1_000), entries.map(({ onHandAfter }) => onHandAfter)];
  }, [data]);
  if (times.length < 2) return null;
  return (
    <>
      <p className="soft chart-title">On hand, {siteName}</p>
      <Chart label={`On hand at ${siteName}`} times={times} values={values} kind="steps" timeZone={timeZone} />
    </>
  );
}
