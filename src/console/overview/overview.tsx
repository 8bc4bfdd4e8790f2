/** Today in one screen. Each figure leads to its rows. */
import { Link } from 'wouter';
import { showClock } from '../../contract/admin/clock.ts';
import { listRecentRequests } from '../../contract/admin/daemon.ts';
import { createReorders } from '../../contract/admin/stock-reorder.ts';
import { listHealth } from '../../contract/admin/webhooks.ts';
import { ALL_MODULES, OUTSTANDING_STATUSES, listOrders } from '../../contract/resources/orders.ts';
import { listReorderAdvice } from '../../contract/resources/reorder.ts';
import { listStockLevels } from '../../contract/resources/stock-levels.ts';
import { getUsage } from '../../contract/resources/usage.ts';
import { NONE, useAccess, useFormat, useOperation, useOrganization } from '../api/index.ts';
import { ConfirmButton, Frame, QuerySection } from '../ui/index.ts';
import { OpenOrders } from './open-orders.tsx';

const POLL = { refetchInterval: 5_000 };
const OUTSTANDING = OUTSTANDING_STATUSES.join(',');
const LATE = { module: ALL_MODULES, overdue: true, include: 'totals', sort: 'due_date', page_size: 8 } as const;
const LOW = { low_stock: true, page_size: 1 } as const;

export function Overview() {
  const organization = useOrganization();
  const { can } = useAccess();
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
        {can(listOrders) && <OpenOrders />}
        <QuerySection
          isCard
          title="Late orders"
          action={<Link href="/orders?overdue=true">All</Link>}
          op={listOrders}
          parts={{ query: LATE }}
          empty="Nothing is late"
          columns={[
            { title: 'Order', as: 'order', value: (row) => row },
            { title: 'Contact', as: 'contact', value: 'contact' },
            { title: 'Status', rank: 1, as: 'status', value: 'status' },
            { title: 'Due', as: 'day', value: 'dueDate', isBad: () => true },
            { title: 'Total', as: 'money', value: 'total', currency: ({ currency }) => currency },
          ]}
        />
        <LowStock />
        <DeliveryHealth />
      </div>
    </Frame>
  );
}

function Figures() {
  const open = useOperation(listOrders, { query: { module: ALL_MODULES, status: OUTSTANDING, page_size: 1 } });
  const late = useOperation(listOrders, { query: LATE });
  const low = useOperation(listStockLevels, { query: LOW });
  const health = useOperation(listHealth, {}, POLL);
  const usage = useOperation(getUsage, {}, POLL);
  const recent = useOperation(listRecentRequests, {}, POLL);
  const { number } = useFormat();
  const { can } = useAccess();
  const failed = health.data?.data.reduce((sum, endpoint) => sum + endpoint.failed, 0);
  const minute = recent.data?.data.perMinute.reduce((sum, { perMinute }) => sum + (perMinute.at(-1) ?? 0), 0);
  const limit = usage.data?.data.rate_limit.limit_per_minute;
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(10.5rem,1fr))] items-start gap-3 max-sm:grid-cols-2 max-sm:[&>:last-child:nth-child(odd)]:col-span-full">
      {can(listOrders) && <Figure title="Open orders" value={open.data?.pagination.total} href={`/orders?status=${OUTSTANDING}`} />}
      {can(listOrders) && <Figure title="Late orders" value={late.data?.pagination.total} href="/orders?overdue=true" isProblem />}
      {can(listStockLevels) && <Figure title="Low stock" value={low.data?.pagination.total} href="/stock?low_stock=true" isProblem />}
      {health.data && <Figure title="Failed deliveries" value={failed} href="/deliveries?status=failed" isProblem />}
      {recent.data && <Figure title="Requests this minute" value={minute} note={limit && `of ${number(limit)}`} href="/requests" />}
    </div>
  );
}

interface FigureProps {
  readonly title: string;
  readonly value: number | undefined;
  readonly href: string;
  readonly note?: string | 0 | undefined;
  /** If it is not zero. */
  readonly isProblem?: boolean;
}

function Figure({ title, value, note, href, isProblem = false }: FigureProps) {
  const { number } = useFormat();
  return (
    <Link href={href} className="card grid gap-0.5 px-4 py-3 text-ink hover:border-strong hover:no-underline">
      <span className="text-soft">{title}</span>
      <strong
        className={`text-2xl leading-[1.25] font-semibold tracking-[-0.02em] tabular-nums ${isProblem && (value ?? 0) > 0 ? 'text-bad' : ''}`}
      >
        {number(value)} {note && <small className="text-sm font-normal tracking-[0]">{note}</small>}
      </strong>
    </Link>
  );
}

function LowStock() {
  // The settings socket creates them, like the clock only on the machine of the service.
  const isLocal = useOperation(showClock, {}).data !== undefined;
  return (
    <QuerySection
      isCard
      title="Low stock"
      action={(rows) =>
        isLocal &&
        rows.some(({ module }) => module !== null) && (
          <ConfirmButton
            label="Order all"
            title="Create these orders?"
            action="Create orders"
            sample={{ op: createReorders, parts: { body: { draft: true } } }}
            note="One draft order per supplier and site, and one per item to produce. Drafts change no stock."
          />
        )
      }
      op={listReorderAdvice}
      parts={{}}
      empty="Everything is above its reorder point"
      columns={[
        { title: 'Item', as: 'item', value: 'item' },
        { title: 'Site', value: ({ site }) => site.name },
        { title: 'Projected', value: 'projected', unit: ({ stockUnit }) => stockUnit },
        {
          title: 'Order that fixes it',
          value: 'note',
          render: ({ module, quantity, unit, supplier, note }, { number }) =>
            module === null
              ? (note ?? NONE)
              : `${module === 'buy' ? 'Buy' : 'Make'} ${number(quantity)} ${unit?.symbol ?? ''}${supplier ? ` from ${supplier.name}` : ''}${note === null ? '' : `, beyond ${note}`}`,
        },
      ]}
    />
  );
}

/** Only on the machine of the service. */
const DeliveryHealth = () => (
  <QuerySection
    {...POLL}
    isCard
    title="Webhook endpoints"
    action={<Link href="/deliveries">Deliveries</Link>}
    op={listHealth}
    parts={{}}
    empty="No endpoints"
    columns={[
      { title: 'Endpoint', as: 'webhook', value: (row) => row },
      { title: 'Status', as: 'status', value: 'status' },
      { title: 'Delivered', as: 'number', value: 'delivered' },
      { title: 'Failed', as: 'number', value: 'failed', isBad: ({ failed }) => failed > 0 },
      { title: 'Queued', as: 'number', value: 'queued' },
    ]}
  />
);
