/** A count: what was found at a site beside what should be there, posted as one document. */
import { type ReactNode, useState } from 'react';
import { readSites } from '../../contract/resources/settings.ts';
import { createStockDocument } from '../../contract/resources/stock-documents.ts';
import { type StockLevel, listStockLevels } from '../../contract/resources/stock-levels.ts';
import { useOperation } from '../api/queries.ts';
import { Choice } from '../ui/choice.tsx';
import { ConfirmButton } from '../ui/confirm.tsx';
import type { Column } from '../ui/data-table.tsx';
import { DryRun } from '../ui/dry-run.tsx';
import { Loading } from '../ui/elements.tsx';
import { useUrlFilters } from '../ui/filters.tsx';
import { ListView } from '../ui/list-view.tsx';
import { QuantityInput, parseQuantity } from '../ui/quantity-input.tsx';

const SITES = { query: { is_active: true, page_size: 200 } } as const;
/** Combos have no stock of their own. */
const COUNTED_TYPES = 'product,material';

export function CountSheet({ tabs }: { readonly tabs: ReactNode }) {
  const filters = useUrlFilters(listStockLevels);
  const sites = useOperation(readSites, SITES).data?.data;
  const siteId = filters.get('site_id') ?? (sites?.find(({ isDefault }) => isDefault) ?? sites?.[0])?.id;
  if (!sites || siteId === undefined) return <Loading />;
  const choice = (
    <Choice
      label="Site"
      value={siteId}
      none={false}
      values={sites.map(({ id }) => id)}
      toText={(id) => sites.find((site) => site.id === id)?.name ?? id}
      onChange={(id) => filters.set('site_id', id)}
    />
  );
  return <Sheet key={siteId} {...{ siteId, tabs, choice }} />;
}

interface SheetProps {
  readonly siteId: string;
  readonly tabs: ReactNode;
  readonly choice: ReactNode;
}

function Sheet({ siteId, tabs, choice }: SheetProps) {
  const [counts, setCounts] = useState<Readonly<Record<string, string>>>({});
  const lines = Object.entries(counts).flatMap(([itemId, text]) => {
    const countedQuantity = parseQuantity(text);
    return countedQuantity >= 0 ? [{ itemId, countedQuantity }] : [];
  });
  const sample = { op: createStockDocument, parts: { body: { type: 'count', siteId, lines }, query: { approve: true } } };
  return (
    <ListView<StockLevel>
      title="Count"
      op={listStockLevels}
      filters={useUrlFilters(listStockLevels)}
      filterNames={[]}
      query={{ site_id: siteId, include_zero: true, item_type: COUNTED_TYPES }}
      columns={getColumns(counts, (itemId, text) => setCounts({ ...counts, [itemId]: text }))}
      getId={({ itemId }) => itemId}
      tabs={tabs}
      toolbar={choice}
      empty="No items to count"
      actions={
        lines.length > 0 && (
          <ConfirmButton
            label={`Post ${String(lines.length)} counted`}
            kind="main"
            title="Post this count?"
            action="Post"
            samples={[sample]}
            onDone={() => setCounts({})}
          >
            <p>Items without a counted quantity stay as they are.</p>
            <DryRun {...sample} />
          </ConfirmButton>
        )
      }
    />
  );
}

const getColumns = (
  counts: Readonly<Record<string, string>>,
  setCount: (itemId: string, text: string) => void,
): readonly Column<StockLevel>[] => {
  const getDifference = ({ itemId, onHand }: StockLevel): number => parseQuantity(counts[itemId]) - onHand;
  return [
    { title: 'SKU', width: 'minmax(5rem, 8rem)', sort: 'sku', value: ({ item }) => item.sku, render: ({ item }) => item.sku ?? item.name },
    { title: 'Item', width: 'minmax(6rem, 3fr)', sort: 'name', rank: 28, value: ({ item }) => item.name },
    {
      title: 'On hand',
      width: '5.5rem',
      isNumber: true,
      sort: 'on_hand',
      value: ({ onHand }) => onHand,
      render: ({ onHand, unit }, { number }) => `${number(onHand)} ${unit?.symbol ?? ''}`,
    },
    {
      title: 'Counted',
      width: '6rem',
      isNumber: true,
      value: ({ itemId }) => counts[itemId],
      render: ({ itemId, item }) => (
        <QuantityInput label={`Counted: ${item.name}`} value={counts[itemId]} onChange={(text) => setCount(itemId, text)} />
      ),
    },
    {
      title: 'Difference',
      width: '5.5rem',
      rank: 34,
      isNumber: true,
      value: (level) => getDifference(level) || '',
      render: (level, { number }) => {
        const difference = getDifference(level);
        return Number.isNaN(difference) ? '' : <span className={difference < 0 ? 'bad-text' : undefined}>{number(difference)}</span>;
      },
    },
  ];
};
