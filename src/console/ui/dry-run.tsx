/** What a change would do to stock, from its dry run; what is short if it cannot be made. */
import type { StockEffect } from '../../contract/resources/stock-effects.ts';
import { ApiError, type Sample, useDryRun } from '../api/index.ts';
import type { Cell } from './cell.tsx';
import { Problem } from './elements.tsx';
import { MiniTable } from './mini-table.tsx';

interface Shortage {
  readonly itemId: string;
  readonly sku: string | null;
  readonly required: number;
  readonly onHand: number;
  readonly missing: number;
}

const SHORTAGES: readonly Cell<Shortage>[] = [
  { title: 'Item', value: ({ sku, itemId }) => sku ?? itemId },
  { title: 'Needed', as: 'number', value: 'required' },
  { title: 'On hand', as: 'number', value: 'onHand' },
  { title: 'Missing', as: 'number', value: 'missing', isBad: () => true },
];

const EFFECTS: readonly Cell<StockEffect>[] = [
  { title: 'Item', value: ({ sku, itemId }) => sku ?? itemId },
  { title: 'Before', as: 'number', value: ({ onHandAfter, quantityDelta }) => onHandAfter - quantityDelta },
  { title: 'Change', as: 'change', value: 'quantityDelta' },
  { title: 'After', as: 'number', value: 'onHandAfter', isBad: ({ onHandAfter }) => onHandAfter < 0 },
  { title: 'Available', as: 'number', value: 'availableAfter' },
];

export function DryRun({ op, parts }: Sample) {
  const { data, error } = useDryRun(op, parts);
  if (error) {
    const isShort = error instanceof ApiError && error.code === 'INSUFFICIENT_STOCK';
    return (
      <>
        <Problem error={error} />
        {isShort && (
          <MiniTable label="Shortages" rows={(error.details?.['shortages'] ?? []) as readonly Shortage[]} empty="" columns={SHORTAGES} />
        )}
      </>
    );
  }
  // Operations with a dry run return the changed record with its effects.
  const { stockEffects } = (data as { data: { stockEffects?: readonly StockEffect[] } } | undefined)?.data ?? {};
  return stockEffects && <MiniTable label="Effect on stock" rows={stockEffects} empty="No effect on stock" columns={EFFECTS} />;
}
