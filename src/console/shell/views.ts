/** The views, each loaded when it is first shown. */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { IconName } from '../ui/index.ts';

interface View {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  readonly component: LazyExoticComponent<ComponentType>;
}

/** After a build the scripts of the page that is open are gone: it loads the new ones. */
const load = (read: () => Promise<{ default: ComponentType }>): LazyExoticComponent<ComponentType> =>
  lazy(() =>
    read().catch((error: unknown) => {
      const name = 'stockroom-console-reloaded';
      if (sessionStorage.getItem(name) === null) {
        sessionStorage.setItem(name, 'true');
        location.reload();
      }
      throw error;
    }),
  );

export const VIEWS: readonly View[] = [
  { path: '', title: 'Overview', icon: 'overview', component: load(() => import('../overview/overview.tsx')) },
  { path: 'items', title: 'Items', icon: 'items', component: load(() => import('../items/items.tsx')) },
  { path: 'orders', title: 'Orders', icon: 'orders', component: load(() => import('../orders/orders.tsx')) },
  { path: 'stock', title: 'Stock', icon: 'stock', component: load(() => import('../stock/stock.tsx')) },
  { path: 'contacts', title: 'Contacts', icon: 'contacts', component: load(() => import('../contacts/contacts.tsx')) },
  { path: 'deliveries', title: 'Deliveries', icon: 'deliveries', component: load(() => import('../deliveries/deliveries.tsx')) },
  { path: 'events', title: 'Events', icon: 'events', component: load(() => import('../events/events.tsx')) },
  { path: 'requests', title: 'Requests', icon: 'requests', component: load(() => import('../requests/requests.tsx')) },
  { path: 'audit', title: 'Audit', icon: 'audit', component: load(() => import('../audit/audit.tsx')) },
  { path: 'lab', title: 'Lab', icon: 'lab', component: load(() => import('../lab/lab.tsx')) },
];
