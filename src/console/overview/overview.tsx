/** Today in one screen. Each figure leads to its rows. */
import { Link } from 'wouter';
import { createReorders } from '../../contract/admin/stock-reorder.ts';
import { listHealth } from '../../contract/admin/webhooks.ts';
import { listRecentRequests } from '../../contract/admin/daemon.ts';
import { OUTSTANDING_STATUSES, listOrders } from '../../contract/resources/orders.ts';
import { listReorderAdvice } from '../../contract/resources/reorder.ts';
import { listStockLevels } from '../../contract/resources/stock-levels.ts';
import { getUsage } from '../../contract/resources/usage.ts';
import { useFormat } from '../api/format.ts';
import { useOperation, useOrganization } from '../api/queries.ts';
import { ConfirmButton } from '../ui/confirm.tsx';
import { Frame } from '../ui/frame.tsx';
import { OpenOrders } from './open-orders.tsx';
import { TableSection } from '../ui/mini-table.tsx';

const POLL_MS = 5_000;
const OUTSTANDING = OUTSTANDING_STATUSES.join(',');
const LATE = { module: 'all', overdue: true, include: 'totals', sort: 'due_date', page_size: 8 } as const;
const LOW = { low_stock: true, page_size: 1 } as const;

export default function Overview() {
  const organization = useOrganization();
  return (
    <Frame
      title={organization?.name ?? 'Overview'}
      isScrolling
      samples={[
        { op: listOrders, parts: { query: LATE } },
        { op: listStockLevels, parts: { query: LOW } },
        { op: listReorderAdvice, parts: {} },
      ]}
    >
      <Figures />
      <div className="columns">
        <OpenOrders />
        <LateOrders />
        <LowStock />
        <DeliveryHealth />
      </div>
    </Frame>
  );
}

function Figures() {
  const { number } = useFormat();
  const open = useOperation(listOrders, { query: { module: 'all', status: OUTSTANDING, page_size: 1 } });
  const late = useOperation(listOrders, { query: LATE });
  const low = useOperation(listStockLevels, { query: LOW });
  const health = useOperation(listHealth, {}, { refetchInterval: POLL_MS });
  const usage = useOperation(getUsage, {}, { refetchInterval: POLL_MS });
  const recent = useOperation(listRecentRequests, {}, { refetchInterval: POLL_MS });
  const failed = health.data?.data.reduce((sum, endpoint) => sum + endpoint.failed, 0);
  const minute = recent.data?.data.perMinute.reduce((sum, { perMinute }) => sum + (perMinute.at(-1) ?? 0), 0);
  const limit = usage.data?.data.rate_limit.limit_per_minute;
  return (
    <div className="cards">
      <Figure title="Open orders" value={number(open.data?.pagination.total)} href={`/orders?status=${OUTSTANDING}`} />
      <Figure
        title="Late orders"
        value={number(late.data?.pagination.total)}
        href="/orders?overdue=true"
        isBad={(late.data?.pagination.total ?? 0) > 0}
      />
      <Figure
        title="Low stock"
        value={number(low.data?.pagination.total)}
        href="/stock?low_stock=true"
        isBad={(low.data?.pagination.total ?? 0) > 0}
      />
      {failed !== undefined && (
        <Figure title="Failed deliveries" value={number(failed)} href="/deliveries?status=failed" isBad={failed > 0} />
      )}
      {minute !== undefined && (
        <Figure title="Requests this minute" value={number(minute)} note={limit && `of ${number(limit)}`} href="/requests" />
      )}
    </div>
  );
}

interface FigureProps {
  readonly title: string;
  readonly value: string;
  readonly href: string;
  readonly note?: string | 0 | undefined;
  readonly isBad?: boolean;
}

const Figure = ({ title, value, note, href, isBad = false }: FigureProps) => (
  <Link href={href} className={`card figure ${isBad ? 'bad' : ''}`}>
    <span>{title}</span>
    <strong>
      {value} {note && <small>{note}</small>}
    </strong>
  </Link>
);

function LateOrders() {
  const { data } = useOperation(listOrders, { query: LATE });
  const { day, money } = useFormat();
  return (
    <TableSection
      isCard
      title="Late orders"
      action={<Link href="/orders?overdue=true">All</Link>}
      rows={data?.data}
      empty="Nothing is late"
      columns={[
        { title: 'Order', render: ({ id, orderNumber }) => <Link href={`/orders/${id}`}>{orderNumber}</Link> },
        { title: 'Contact', render: ({ contact }) => contact.company || contact.name },
        { title: 'Status', as: 'status', value: ({ status }) => status },
        { title: 'Due', isNumber: true, render: ({ dueDate }) => <span className="bad-text">{day(dueDate)}</span> },
        { title: 'Total', isNumber: true, render: ({ total, currency }) => money(total, currency) },
      ]}
    />
  );
}

function LowStock() {
  const { data } = useOperation(listReorderAdvice, {});
  const { number } = useFormat();
  const rows = data?.data ?? [];
  // The settings socket creates them, like the health of endpoints only on the machine of the service.
  const isLocal = useOperation(listHealth, {}).data !== undefined;
  const canOrder = isLocal && rows.some(({ module }) => module !== null);
  return (
    <TableSection
      isCard
      title="Low stock"
      action={
        canOrder && (
          <ConfirmButton
            label="Order all"
            title="Create these orders?"
            action="Create orders"
            samples={[{ op: createReorders, parts: { body: { draft: true } } }]}
          >
            <p>One draft order per supplier and site, and one per item to produce. Drafts change no stock.</p>
          </ConfirmButton>
        )
      }
      rows={rows}
      empty="Everything is above its reorder point"
      columns={[
        { title: 'Item', render: ({ itemId, item }) => <Link href={`/items/${itemId}`}>{item.name}</Link> },
        { title: 'Site', render: ({ site }) => site.name },
        { title: 'Projected', isNumber: true, render: ({ projected, stockUnit }) => `${number(projected)} ${stockUnit?.symbol ?? ''}` },
        {
          title: 'Order that fixes it',
          render: ({ module, quantity, unit, supplier, note }) =>
            module === null
              ? (note ?? '–')
              : `${module === 'buy' ? 'Buy' : 'Make'} ${number(quantity)} ${unit?.symbol ?? ''}${supplier ? ` from ${supplier.name}` : ''}`,
        },
      ]}
    />
  );
}

function DeliveryHealth() {
  const { data } = useOperation(listHealth, {}, { refetchInterval: POLL_MS });
  const { number } = useFormat();
  if (!data) return null;
  return (
    <TableSection
      isCard
      title="Webhook endpoints"
      action={<Link href="/deliveries">Deliveries</Link>}
      rows={data.data}
      empty="No endpoints"
      columns={[
        { title: 'Endpoint', render: ({ id, name }) => <Link href={`/deliveries/endpoints/${id}`}>{name}</Link> },
        { title: 'Status', as: 'status', value: ({ status }) => status },
        { title: 'Delivered', as: 'number', value: ({ delivered }) => delivered },
        {
          title: 'Failed',
          isNumber: true,
          render: ({ failed }) => <span className={failed > 0 ? 'bad-text' : undefined}>{number(failed)}</span>,
        },
        { title: 'Queued', as: 'number', value: ({ queued }) => queued },
      ]}
    />
  );
}
