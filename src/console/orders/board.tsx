/** Orders in columns of their statuses. Dragging one to another column, or a button in its details, changes its status. */
import { useState } from 'react';
import { ORDER_TRANSITIONS, type Order, type OrderStatus, listOrders, updateOrder } from '../../contract/resources/orders.ts';
import { toLabel, useAccess, useFormat, useOperation } from '../api/index.ts';
import { Failure, Frame, type FrameProps, RowLink, Status, useUrl } from '../ui/index.ts';
import { isLate } from './fields.tsx';
import { StatusChange } from './status-change.tsx';

const COLUMNS: readonly OrderStatus[] = ['draft', 'open', 'in_progress', 'waiting', 'completed'];
const PER_COLUMN = 50;
const DRAGGED = 'application/x-stockroom-order';

interface BoardProps extends Pick<FrameProps, 'title' | 'tabs' | 'actions' | 'aside'> {
  readonly module: 'all' | Order['module'];
}

export function OrderBoard({ module, title, tabs, actions, aside }: BoardProps) {
  const [move, setMove] = useState<{ readonly order: Order; readonly to: OrderStatus }>();
  const [dragged, setDragged] = useState<Order>();
  return (
    <Frame
      {...{ title, tabs, actions }}
      samples={[{ op: listOrders, parts: { query: { module, status: COLUMNS.join(',') } } }]}
      aside={
        <>
          {aside}
          {move && <StatusChange {...move} onClose={() => setMove(undefined)} />}
        </>
      }
    >
      <div
        className="grid min-h-0 flex-1 auto-cols-[minmax(11.5rem,1fr)] grid-flow-col gap-3 overflow-auto pb-4 max-sm:auto-cols-[80%]"
        tabIndex={0}
        role="group"
        aria-label="Board"
      >
        {COLUMNS.map((status) => (
          <BoardColumn
            key={status}
            {...{ module, status, dragged }}
            onDrag={setDragged}
            onDrop={() => {
              if (dragged && dragged.status !== status) setMove({ order: dragged, to: status });
              setDragged(undefined);
            }}
          />
        ))}
      </div>
    </Frame>
  );
}

interface ColumnProps {
  readonly module: BoardProps['module'];
  readonly status: OrderStatus;
  readonly dragged: Order | undefined;
  readonly onDrag: (order: Order | undefined) => void;
  readonly onDrop: () => void;
}

function BoardColumn({ module, status, dragged, onDrag, onDrop }: ColumnProps) {
  const { toHref } = useUrl();
  const isDone = status === 'completed';
  const { data, error } = useOperation(listOrders, {
    query: { module, status, include: 'totals', sort: isDone ? '-updated_at' : 'due_date', page_size: PER_COLUMN },
  });
  const format = useFormat();
  const { can } = useAccess();
  const accepts = dragged !== undefined && ORDER_TRANSITIONS[dragged.status].includes(status);
  return (
    <section className="flex min-h-0 min-w-0 flex-col" aria-label={toLabel(status)}>
      <h2 className="py-1">
        {toLabel(status)} <span className="font-normal text-soft">{data?.pagination.total ?? ''}</span>
      </h2>
      {error && !data ? <Failure error={error} /> : null}
      <ul
        className={`grid min-h-16 flex-1 content-start gap-2 overflow-y-auto rounded-lg bg-plain-back p-1.5 ${accepts ? 'outline-2 outline-brand outline-dashed' : ''}`}
        onDragOver={(event) => {
          if (accepts) event.preventDefault();
        }}
        onDrop={onDrop}
        tabIndex={0}
        aria-label={`${toLabel(status)} orders`}
      >
        {data?.data.map((order) => (
          <li
            key={order.id}
            className="card relative grid gap-1 p-2 *:flex *:items-center *:justify-between *:gap-2 *:truncate"
            draggable={can(updateOrder)}
            onDragStart={(event) => {
              event.dataTransfer.setData(DRAGGED, order.id);
              onDrag(order);
            }}
            onDragEnd={() => onDrag(undefined)}
          >
            <div>
              <RowLink href={toHref(`/orders/${order.id}`)}>{order.orderNumber}</RowLink>
              {order.priority !== 'normal' && <Status value={order.priority} />}
            </div>
            <div dir="auto" className="text-soft">
              <span className="truncate">{order.contact.company || order.contact.name}</span>
            </div>
            <div className="flex-wrap">
              <span className={isLate(order, format) ? 'text-bad' : 'text-soft'}>{format.day(order.dueDate)}</span>
              <span className="number ml-auto">{format.money(order.total, order.currency)}</span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
