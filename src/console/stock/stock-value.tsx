/** The value of the stock that a list of levels shows: the sum of its rows, on all its pages. */
import { useQuery } from '@tanstack/react-query';
import type { Pagination } from '../../contract/operation.ts';
import { type StockLevel, listStockLevels } from '../../contract/resources/stock-levels.ts';
import { type Query, callAny, readAll, useFormat } from '../api/index.ts';
import { useUrl } from '../ui/index.ts';

/** The service has no sum: of more rows it would take too many requests after each change. */
const ROWS_MAX = 1_000;

/** Null for more rows. */
async function readStockValue(query: Query): Promise<number | null> {
  const { pagination } = (await callAny(listStockLevels, { query: { ...query, page_size: 1 } })) as { pagination: Pagination };
  if (pagination.total > ROWS_MAX) return null;
  const levels = await readAll<StockLevel>(listStockLevels, query);
  return levels.reduce((sum, { stockValue }) => sum + (stockValue ?? 0), 0);
}

export function StockValue() {
  const { getQuery } = useUrl();
  const { amount } = useFormat();
  const query = { ...getQuery(listStockLevels), sort: undefined };
  const { data } = useQuery({ queryKey: [listStockLevels.id, 'value', query], queryFn: () => readStockValue(query) });
  if (data === undefined || data === null) return null;
  return (
    <p className="text-soft">
      Total stock value <strong className="number text-ink">{amount(data)}</strong>
    </p>
  );
}
