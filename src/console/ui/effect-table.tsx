/** What a stock document changes, before it is posted. */
import type { StockEffect } from '../../contract/resources/stock-effects.ts';
import { useFormat } from '../api/format.ts';
import { MiniTable } from './mini-table.tsx';

export function EffectTable({ effects }: { readonly effects: readonly StockEffect[] }) {
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
        { title: 'Available', isNumber: true, render: ({ availableAfter }) => number(availableAfter) },
      ]}
    />
  );
}
