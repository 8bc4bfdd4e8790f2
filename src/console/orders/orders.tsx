/** Orders of one module or all, as a table or as a board. */
import { ALL_MODULES, ORDER_MODULES, type Order, createOrder, listOrders } from '../../contract/resources/orders.ts';
import { toLabel } from '../api/format.ts';
import { Button } from '../ui/elements.tsx';
import { ListView } from '../ui/list-view.tsx';
import { useRecords } from '../ui/records.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { useFlag, useUrl } from '../ui/url.ts';
import { OrderBoard } from './board.tsx';
import { LINE_FIELDS, ORDER_FIELDS } from './fields.tsx';
import { OrderDetails } from './order-details.tsx';

export default function Orders() {
  const { ids, get, set } = useUrl();
  const [isBoard, setBoard] = useFlag('board');
  const module = get('module') ?? ALL_MODULES;
  const { actions, ...parts } = useRecords({
    path: '/orders',
    id: ids[0],
    create: {
      title: 'New order',
      op: createOrder,
      lineFields: LINE_FIELDS,
      initial: { lines: [{}], ...(module !== ALL_MODULES && { module }) },
    },
    details: (id, onClose) => <OrderDetails id={id} onClose={onClose} />,
  });
  const view = {
    ...parts,
    title: 'Orders',
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
        <Button isPressed={isBoard} onClick={() => setBoard(!isBoard)}>
          Board
        </Button>
        {actions}
      </>
    ),
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
