/** Open orders by module and status. Every number leads to its orders. */
import { useQueries } from '@tanstack/react-query';
import { Link } from 'wouter';
import {
  ALL_MODULES,
  ORDER_MODULES,
  type OrderModule,
  type OrderStatus,
  OUTSTANDING_STATUSES,
  listOrders,
} from '../../contract/resources/orders.ts';
import { call, toLabel, useOperation } from '../api/index.ts';
import { type Cell, TableSection } from '../ui/index.ts';

const ROWS_MAX = 200;
const QUERY = { module: ALL_MODULES, status: OUTSTANDING_STATUSES.join(','), page_size: ROWS_MAX } as const;

/** Counts the rows of one page, which most tenants fit on; else asks for each number. */
function useCounts(): (module: OrderModule, status: OrderStatus) => number {
  const { data } = useOperation(listOrders, { query: QUERY });
  const isComplete = (data?.pagination.total ?? 0) <= ROWS_MAX;
  const cells = ORDER_MODULES.flatMap((module) => OUTSTANDING_STATUSES.map((status) => ({ module, status })));
  const totals = useQueries({
    queries: cells.map(({ module, status }) => ({
      queryKey: [listOrders.id, 'count', module, status],
      queryFn: async () => (await call(listOrders, { query: { module, status, page_size: 1 } })).pagination.total,
      enabled: !isComplete,
    })),
  });
  return (module, status) =>
    isComplete
      ? (data?.data ?? []).filter((order) => order.module === module && order.status === status).length
      : (totals[cells.findIndex((cell) => cell.module === module && cell.status === status)]?.data ?? 0);
}

export function OpenOrders() {
  const count = useCounts();
  const columns = OUTSTANDING_STATUSES.map((status): Cell<OrderModule> => ({
    title: toLabel(status),
    as: 'number',
    value: (module) => count(module, status),
    href: (module) => count(module, status) > 0 && `/orders?module=${module}&status=${status}`,
  }));
  return (
    <TableSection
      isCard
      title="Open orders"
      action={<Link href="/orders?board=true">Board</Link>}
      rows={ORDER_MODULES}
      columns={[{ title: 'Module', as: 'label', value: (module) => module, href: (module) => `/orders?module=${module}` }, ...columns]}
    />
  );
}
