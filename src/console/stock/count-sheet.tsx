/** A count: what was found at a site beside what should be there, posted as one document. */
import { type ReactNode, useState } from 'react';
import { readSites } from '../../contract/resources/settings.ts';
import { createStockDocument } from '../../contract/resources/stock-documents.ts';
import { type StockLevel, listStockLevels } from '../../contract/resources/stock-levels.ts';
import { useOperation } from '../api/index.ts';
import { type Cell, Choice, ConfirmButton, ListView, Loading, QuantityInput, parseQuantity, useUrl } from '../ui/index.ts';
import { LEVELS } from './levels.tsx';

/** Combos have no stock of their own. */
const COUNTED_TYPES = 'product,material';

export function CountSheet() {
  const { get, set } = useUrl();
  const sites = useOperation(readSites, { query: { is_active: true, page_size: 200 } }).data?.data;
  const siteId = get('site_id') ?? (sites?.find(({ isDefault }) => isDefault) ?? sites?.[0])?.id;
  if (!sites || siteId === undefined) return <Loading />;
  const choice = (
    <Choice
      label="Site"
      value={siteId}
      none={false}
      values={sites.map(({ id }) => id)}
      toText={(id) => sites.find((site) => site.id === id)?.name ?? id}
      onChange={(id) => set('site_id', id)}
    />
  );
  return <Sheet key={siteId} {...{ siteId, choice }} />;
}

function Sheet({ siteId, choice }: { readonly siteId: string; readonly choice: ReactNode }) {
  /** As entered, by item. */
  const [counts, setCounts] = useState<Readonly<Record<string, string>>>({});
  const lines = Object.entries(counts)
    .map(([itemId, text]) => ({ itemId, countedQuantity: parseQuantity(text) }))
    .filter(({ countedQuantity }) => countedQuantity >= 0);
  return (
    <ListView<StockLevel>
      title="Count"
      path="/stock/count"
      getHref={undefined}
      op={listStockLevels}
      filters={[]}
      query={{ site_id: siteId, include_zero: true, item_type: COUNTED_TYPES }}
      columns={getColumns(counts, (itemId, text) => setCounts({ ...counts, [itemId]: text }))}
      getId={({ itemId }) => itemId}
      toolbar={choice}
      empty="No items to count"
      actions={
        lines.length > 0 && (
          <ConfirmButton
            label={`Post ${String(lines.length)} counted`}
            kind="main"
            title="Post this count?"
            action="Post"
            sample={{ op: createStockDocument, parts: { body: { type: 'count', siteId, lines }, query: { approve: true } } }}
            note="Items without a counted quantity stay as they are."
            isPreviewed
            onDone={() => setCounts({})}
          />
        )
      }
    />
  );
}

const getColumns = (
  counts: Readonly<Record<string, string>>,
  setCount: (itemId: string, text: string) => void,
): readonly Cell<StockLevel>[] => {
  const getDifference = ({ itemId, onHand }: StockLevel): number | undefined => {
    const difference = parseQuantity(counts[itemId]) - onHand;
    return Number.isNaN(difference) ? undefined : difference;
  };
  return [
    ...LEVELS.filter(({ title }) => ['SKU', 'Item', 'On hand'].includes(title)),
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
      as: 'change',
      value: getDifference,
      isBad: (level) => (getDifference(level) ?? 0) < 0,
    },
  ];
};
