/** What a change would do to stock, from its dry run; what is short if it cannot be made. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { StockEffect } from '../../contract/resources/stock-effects.ts';
import { ApiError, callAny } from '../api/client.ts';
import { useFormat } from '../api/format.ts';
import type { Sample } from '../api/samples.ts';
import { Problem } from './elements.tsx';
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
        { title: 'Needed', as: 'number', value: ({ required }) => required },
        { title: 'On hand', as: 'number', value: ({ onHand }) => onHand },
        { title: 'Missing', isNumber: true, render: ({ missing }) => <span className="bad-text">{number(missing)}</span> },
      ]}
    />
  );
}

function EffectTable({ effects }: { readonly effects: readonly StockEffect[] }) {
  const { number } = useFormat();
  return (
    <MiniTable
      label="Effect on stock"
      rows={effects}
      empty="No effect on stock"
      columns={[
        { title: 'Item', render: ({ sku, itemId }) => sku ?? itemId },
        { title: 'Before', isNumber: true, render: ({ onHandAfter, quantityDelta }) => number(onHandAfter - quantityDelta) },
        {
          title: 'Change',
          isNumber: true,
          render: ({ quantityDelta }) => (quantityDelta > 0 ? `+${number(quantityDelta)}` : number(quantityDelta)),
        },
        {
          title: 'After',
          isNumber: true,
          render: ({ onHandAfter }) => <span className={onHandAfter < 0 ? 'bad-text' : undefined}>{number(onHandAfter)}</span>,
        },
        { title: 'Available', as: 'number', value: ({ availableAfter }) => availableAfter },
      ]}
    />
  );
}
