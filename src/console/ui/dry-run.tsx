/** What a change would do to stock, from its dry run; what is short if it cannot be made. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { StockEffect } from '../../contract/resources/stock-effects.ts';
import { ApiError, callAny } from '../api/client.ts';
import { useFormat } from '../api/format.ts';
import type { Sample } from '../api/samples.ts';
import { Problem } from './elements.tsx';
import { EffectTable } from './effect-table.tsx';
import { MiniTable } from './mini-table.tsx';

export function DryRun({ op, parts }: Sample) {
  const { data, error } = useQuery({
    queryKey: [op.id, 'dry run', parts],
    // Operations with a dry run return the changed record with its effects.
    queryFn: async () =>
      ((await callAny(op, { ...parts, query: { ...parts.query, dry_run: true } })) as { data: { stockEffects?: readonly StockEffect[] } })
        .data,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  if (!error) return data?.stockEffects ? <EffectTable effects={data.stockEffects} /> : null;
  return (
    <>
      <Problem error={error} />
      {error instanceof ApiError && error.code === 'INSUFFICIENT_STOCK' && <Shortages details={error.details} />}
    </>
  );
}

interface Shortage {
  readonly itemId: string;
  readonly sku: string | null;
  readonly required: number;
  readonly onHand: number;
  readonly missing: number;
}

function Shortages({ details }: { readonly details: Readonly<Record<string, unknown>> | null }) {
  const { number } = useFormat();
  return (
    <MiniTable
      label="Shortages"
      rows={(details?.['shortages'] ?? []) as readonly Shortage[]}
      empty=""
      columns={[
        { title: 'Item', render: ({ sku, itemId }) => sku ?? itemId },
        { title: 'Needed', isNumber: true, render: ({ required }) => number(required) },
        { title: 'On hand', isNumber: true, render: ({ onHand }) => number(onHand) },
        { title: 'Missing', isNumber: true, render: ({ missing }) => <span className="bad-text">{number(missing)}</span> },
      ]}
    />
  );
}
