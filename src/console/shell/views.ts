/** The views, each loaded when it is first shown. */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { listAuditTrail } from '../../contract/admin/audit.ts';
import { showClock } from '../../contract/admin/clock.ts';
import { listRecentRequests } from '../../contract/admin/daemon.ts';
import { listHealth, tailDeliveries } from '../../contract/admin/webhooks.ts';
import type { Operation } from '../../contract/operation.ts';
import { listContacts } from '../../contract/resources/contacts.ts';
import { listEvents } from '../../contract/resources/events.ts';
import { listItems } from '../../contract/resources/items.ts';
import { listOrders } from '../../contract/resources/orders.ts';
import { createStockDocument, listStockDocuments } from '../../contract/resources/stock-documents.ts';
import { listStockLevels } from '../../contract/resources/stock-levels.ts';
import { listStockMovements } from '../../contract/resources/stock-movements.ts';
import type { Access } from '../api/index.ts';
import type { IconName } from '../ui/index.ts';

interface View {
  /** Below the console. */
  readonly path: string;
  readonly title: string;
  /** Of those in the navigation. */
  readonly icon?: IconName;
  /** Its title among those of the same title. */
  readonly tab?: string;
  /** What a session must be able to do to be shown it. */
  readonly needs: readonly Operation[];
  readonly view: LazyExoticComponent<ComponentType>;
}

/** After a build the scripts of the page that is open are gone: it loads the new ones. */
const load = <Name extends string>(read: () => Promise<Readonly<Record<Name, ComponentType>>>, name: Name): View['view'] =>
  lazy(async () => {
    try {
      return { default: (await read())[name] };
    } catch (error) {
      const key = 'stockroom-console-reloaded';
      if (sessionStorage.getItem(key) === null) {
        sessionStorage.setItem(key, 'true');
        location.reload();
      }
      throw error;
    }
  });

export const VIEWS: readonly View[] = [
  { path: '', title: 'Overview', icon: 'overview', needs: [], view: load(() => import('../overview/overview.tsx'), 'Overview') },
  { path: 'items', title: 'Items', icon: 'items', needs: [listItems], view: load(() => import('../items/items.tsx'), 'Items') },
  { path: 'orders', title: 'Orders', icon: 'orders', needs: [listOrders], view: load(() => import('../orders/orders.tsx'), 'Orders') },
  {
    path: 'stock',
    title: 'Stock',
    icon: 'stock',
    tab: 'Levels',
    needs: [listStockLevels],
    view: load(() => import('../stock/levels.tsx'), 'Levels'),
  },
  {
    path: 'stock/documents',
    title: 'Stock',
    tab: 'Documents',
    needs: [listStockDocuments],
    view: load(() => import('../stock/documents.tsx'), 'Documents'),
  },
  {
    path: 'stock/movements',
    title: 'Stock',
    tab: 'Movements',
    needs: [listStockMovements],
    view: load(() => import('../stock/levels.tsx'), 'Movements'),
  },
  {
    path: 'stock/count',
    title: 'Stock',
    tab: 'Count',
    needs: [listStockLevels, createStockDocument],
    view: load(() => import('../stock/count-sheet.tsx'), 'CountSheet'),
  },
  {
    path: 'contacts',
    title: 'Contacts',
    icon: 'contacts',
    needs: [listContacts],
    view: load(() => import('../contacts/contacts.tsx'), 'Contacts'),
  },
  {
    path: 'deliveries',
    title: 'Deliveries',
    icon: 'deliveries',
    tab: 'Log',
    needs: [tailDeliveries],
    view: load(() => import('../deliveries/delivery-log.tsx'), 'DeliveryLog'),
  },
  {
    path: 'deliveries/endpoints',
    title: 'Deliveries',
    tab: 'Endpoints',
    needs: [listHealth],
    view: load(() => import('../deliveries/endpoints.tsx'), 'Endpoints'),
  },
  { path: 'events', title: 'Events', icon: 'events', needs: [listEvents], view: load(() => import('../events/events.tsx'), 'Events') },
  {
    path: 'requests',
    title: 'Requests',
    icon: 'requests',
    needs: [listRecentRequests],
    view: load(() => import('../requests/requests.tsx'), 'Requests'),
  },
  { path: 'audit', title: 'Audit', icon: 'audit', needs: [listAuditTrail], view: load(() => import('../audit/audit.tsx'), 'Audit') },
  { path: 'lab', title: 'Lab', icon: 'lab', needs: [showClock], view: load(() => import('../lab/lab.tsx'), 'Lab') },
];

const isAllowed = ({ can }: Access, { needs }: View): boolean => needs.every(can);

/** The entries of the navigation, which lead to the first view of their title that the session may see. */
export const listEntries = (access: Access) =>
  VIEWS.flatMap(({ title, icon }) => {
    const first = icon && VIEWS.find((view) => view.title === title && isAllowed(access, view));
    return first ? [{ title, icon, href: `/${first.path}` }] : [];
  });

/** That of a path, and the titles of its tabs by their paths. */
export function findView(location: string, access: Access) {
  const found = VIEWS.findLast(({ path }) => location === `/${path}` || location.startsWith(`/${path}/`));
  const tabs = VIEWS.filter((view) => view.title === found?.title && isAllowed(access, view)).flatMap(({ path, tab }) =>
    tab === undefined ? [] : [[`/${path}`, tab] as const],
  );
  return { found, isAllowed: found !== undefined && isAllowed(access, found), tabs: Object.fromEntries(tabs) };
}
