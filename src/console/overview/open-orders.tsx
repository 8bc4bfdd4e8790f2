/** Open orders by module and status. Every number leads to its orders. */
import { useQueries } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ORDER_MODULES, type OrderModule, type OrderStatus, OUTSTANDING_STATUSES, listOrders } from '../../contract/resources/orders.ts';
import { call } from '../api/client.ts';
import { toLabel, useFormat } from '../api/format.ts';
import { useOperation } from '../api/queries.ts';
import { TableSection } from '../ui/mini-table.tsx';

const ROWS_MAX = 200;

const countKey = (module: OrderModule, status: OrderStatus): string => `${module} ${status}`;

/** Counts the rows of one page, which most tenants fit on; else asks for each number. */
function useCounts(): ReadonlyMap<string, number> {
  const { data } = useOperation(listOrders, { query: { module: 'all', status: OUTSTANDING_STATUSES.join(','), page_size: ROWS_MAX } });
  const isComplete = (data?.pagination.total ?? 0) <= ROWS_MAX;
  const cells = ORDER_MODULES.flatMap((module) => OUTSTANDING_STATUSES.map((status) => ({ module, status })));
  const totals = useQueries({
    queries: cells.map(({ module, status }) => ({
      queryKey: [listOrders.id, 'count', module, status],
      queryFn: async () => (await call(listOrders, { query: { module, status, page_size: 1 } })).pagination.total,
      enabled: !isComplete,
    })),
  });
  if (!isComplete) return new Map(cells.map(({ module, status }, at) => [countKey(module, status), totals[at]?.data ?? 0]));
  const counts = new Map<string, number>();
  for (const { module, status } of data?.data ?? []) counts.set(countKey(module, status), (counts.get(countKey(module, status)) ?? 0) + 1);
  return counts;
}

export function OpenOrders() {
  const counts = useCounts();
  const { number } = useFormat();
  return (
    <TableSection
      isCard
      title="Open orders"
      action={<Link href="/orders?board=true">Board</Link>}
      rows={ORDER_MODULES}
      columns={[
        { title: 'Module', render: (module) => <Link href={`/orders?module=${module}`}>{toLabel(module)}</Link> },
        ...OUTSTANDING_STATUSES.map((status) => ({
          title: toLabel(status),
          isNumber: true,
          render: (module: OrderModule) => {
            const count = counts.get(countKey(module, status)) ?? 0;
            return count === 0 ? (
              <span className="soft">0</span>
            ) : (
              <Link href={`/orders?module=${module}&status=${status}`}>{number(count)}</Link>
            );
          },
        })),
      ]}
    />
  );
}
