/** Orders of one module or all, as a table or as a board. */
import { useLocation, useSearchParams } from 'wouter';
import { ALL_MODULES, ORDER_MODULES, type Order, createOrder, listOrders } from '../../contract/resources/orders.ts';
import { toLabel, useFormat } from '../api/format.ts';
import type { Column } from '../ui/data-table.tsx';
import { Button, Status } from '../ui/elements.tsx';
import { useUrlFilters } from '../ui/filters.tsx';
import { ListView } from '../ui/list-view.tsx';
import { RecordForm } from '../ui/record-form.tsx';
import { useFlag, useSubPath, useWithFilters } from '../ui/selection.ts';
import { OrderBoard } from './board.tsx';
import { isLate } from './late.ts';
import { OrderDetails } from './order-details.tsx';

const getColumns = (today: string): readonly Column<Order>[] => [
  { title: 'Order', width: '7rem', sort: 'order_number', value: ({ orderNumber }) => orderNumber },
  { title: 'Contact', width: 'minmax(7rem, 2fr)', value: ({ contact }) => contact.company || contact.name },
  { title: 'Module', width: '5rem', rank: 56, as: 'label', value: ({ module }) => module },
  { title: 'Status', width: '6.5rem', as: 'status', value: ({ status }) => status },
  {
    title: 'Fulfilment',
    width: '6rem',
    rank: 62,
    value: ({ fulfilment }) => fulfilment,
    render: ({ fulfilment = 'none' }) => (fulfilment === 'none' ? '–' : <Status value={fulfilment} />),
  },
  {
    title: 'Priority',
    width: '5.5rem',
    rank: 50,
    sort: 'priority',
    value: ({ priority }) => priority,
    render: ({ priority }) => (priority === 'normal' ? '–' : <Status value={priority} />),
  },
  {
    title: 'Due',
    width: '7rem',
    rank: 34,
    isNumber: true,
    sort: 'due_date',
    value: ({ dueDate }) => dueDate,
    render: (order, { day }) => <span className={isLate(order, today) ? 'bad-text' : undefined}>{day(order.dueDate)}</span>,
  },
  {
    title: 'Total',
    width: '7.5rem',
    rank: 42,
    isNumber: true,
    value: ({ total }) => total,
    render: ({ module, total, currency }, { money }) => (total === 0 && WITHOUT_MONEY.includes(module) ? '–' : money(total, currency)),
  },
];

const ORDER_FIELDS = [
  'module',
  'contactId',
  'status',
  'priority',
  'orderDate',
  'dueDate',
  'siteId',
  'reference',
  'notes',
  'lines',
] as const;
const LINE_FIELDS = ['itemId', 'quantity', 'unitPrice', 'discountPercent', 'taxPercent'] as const;
/** Their orders have money only if someone entered it. */
const WITHOUT_MONEY: readonly string[] = ['make', 'check'];
const EXTRA_QUERY = { include: 'totals' } as const;

export default function Orders() {
  const filters = useUrlFilters(listOrders, { module: ALL_MODULES });
  const [id] = useSubPath();
  const [isNew, setNew] = useFlag('new');
  const [isBoard, setBoard] = useFlag('board');
  const [params] = useSearchParams();
  const [, navigate] = useLocation();
  const withFilters = useWithFilters();
  const { today } = useFormat();
  const module = params.get('module') ?? ALL_MODULES;
  const getHref = (order: Pick<Order, 'id'>): string => withFilters(`/orders/${order.id}`);
  const tabs = <ModuleTabs module={module} onChange={(name) => filters.set('module', name)} />;
  const actions = (
    <>
      <Button isPressed={isBoard} onClick={() => setBoard(!isBoard)}>
        Board
      </Button>
      <Button kind="main" icon="plus" onClick={() => setNew(true)}>
        New order
      </Button>
    </>
  );
  const details = (
    <>
      {id !== undefined && <OrderDetails id={id} onClose={() => navigate(withFilters('/orders'))} />}
      {isNew && <NewOrder module={module} onClose={() => setNew(false)} />}
    </>
  );
  if (isBoard)
    return (
      <OrderBoard module={module} getHref={getHref} {...{ tabs, actions }}>
        {details}
      </OrderBoard>
    );
  return (
    <ListView<Order>
      title="Orders"
      op={listOrders}
      filters={filters}
      filterNames={['status', 'priority', 'overdue']}
      query={EXTRA_QUERY}
      columns={getColumns(today)}
      getId={(row) => row.id}
      getHref={getHref}
      selectedId={id}
      tabs={tabs}
      empty="No orders yet"
      actions={actions}
    >
      {details}
    </ListView>
  );
}

const ModuleTabs = ({ module, onChange }: { readonly module: string; readonly onChange: (module: string) => void }) => (
  <div className="tabs" role="tablist" aria-label="Module">
    {[ALL_MODULES, ...ORDER_MODULES].map((name) => (
      <button key={name} type="button" role="tab" aria-selected={name === module} onClick={() => onChange(name)}>
        {toLabel(name)}
      </button>
    ))}
  </div>
);

const NewOrder = ({ module, onClose }: { readonly module: string; readonly onClose: () => void }) => (
  <RecordForm
    title="New order"
    op={createOrder}
    fields={ORDER_FIELDS}
    lineFields={LINE_FIELDS}
    initial={{ lines: [{}], ...(module !== ALL_MODULES && { module }) }}
    onClose={onClose}
  />
);
