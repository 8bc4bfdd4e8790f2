/** Orders of one module or all, as a table or as a board. */
import { ALL_MODULES, ORDER_MODULES, type Order, createOrder, listOrders } from '../../contract/resources/orders.ts';
import { toLabel } from '../api/index.ts';
import { Button, ListView, NewButton, Tabs, useFlag, useUrl } from '../ui/index.ts';
import { OrderBoard } from './board.tsx';
import { LINE_FIELDS, ORDER_FIELDS } from './fields.tsx';
import { DETAILS } from './order-details.tsx';

export function Orders() {
  const { get, set } = useUrl();
  const [isBoard, setBoard] = useFlag('board');
  const module = ORDER_MODULES.find((name) => name === get('module')) ?? ALL_MODULES;
  const initial = { lines: [{}], ...(module !== ALL_MODULES && { module }) };
  const view = {
    title: 'Orders',
    path: '/orders',
    tabs: (
      <Tabs
        label="Module"
        names={[ALL_MODULES, ...ORDER_MODULES]}
        selected={module}
        onSelect={(name) => set('module', name === ALL_MODULES ? undefined : name)}
        toText={toLabel}
      />
    ),
    actions: (
      <>
        <Button aria-pressed={isBoard} onClick={() => setBoard(!isBoard)}>
          Board
        </Button>
        <NewButton title="New order" op={createOrder} lineFields={LINE_FIELDS} initial={initial} />
      </>
    ),
    aside: DETAILS,
  };
  if (isBoard) return <OrderBoard module={module} {...view} />;
  return (
    <ListView<Order>
      {...view}
      op={listOrders}
      filters={['status', 'priority', 'overdue']}
      query={{ module: ALL_MODULES, include: 'totals' }}
      columns={ORDER_FIELDS}
      empty="No orders yet"
    />
  );
}
