/** The views, each loaded when it is first shown. */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { IconName } from '../ui/index.ts';

interface View {
  /** Below the console. */
  readonly path: string;
  readonly title: string;
  /** Of those in the navigation. */
  readonly icon?: IconName;
  /** Its title among those of the same title. */
  readonly tab?: string;
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
  { path: '', title: 'Overview', icon: 'overview', view: load(() => import('../overview/overview.tsx'), 'Overview') },
  { path: 'items', title: 'Items', icon: 'items', view: load(() => import('../items/items.tsx'), 'Items') },
  { path: 'orders', title: 'Orders', icon: 'orders', view: load(() => import('../orders/orders.tsx'), 'Orders') },
  { path: 'stock', title: 'Stock', icon: 'stock', tab: 'Levels', view: load(() => import('../stock/levels.tsx'), 'Levels') },
  { path: 'stock/documents', title: 'Stock', tab: 'Documents', view: load(() => import('../stock/documents.tsx'), 'Documents') },
  { path: 'stock/movements', title: 'Stock', tab: 'Movements', view: load(() => import('../stock/levels.tsx'), 'Movements') },
  { path: 'stock/count', title: 'Stock', tab: 'Count', view: load(() => import('../stock/count-sheet.tsx'), 'CountSheet') },
  { path: 'contacts', title: 'Contacts', icon: 'contacts', view: load(() => import('../contacts/contacts.tsx'), 'Contacts') },
  {
    path: 'deliveries',
    title: 'Deliveries',
    icon: 'deliveries',
    tab: 'Log',
    view: load(() => import('../deliveries/delivery-log.tsx'), 'DeliveryLog'),
  },
  {
    path: 'deliveries/endpoints',
    title: 'Deliveries',
    tab: 'Endpoints',
    view: load(() => import('../deliveries/endpoints.tsx'), 'Endpoints'),
  },
  { path: 'events', title: 'Events', icon: 'events', view: load(() => import('../events/events.tsx'), 'Events') },
  { path: 'requests', title: 'Requests', icon: 'requests', view: load(() => import('../requests/requests.tsx'), 'Requests') },
  { path: 'audit', title: 'Audit', icon: 'audit', view: load(() => import('../audit/audit.tsx'), 'Audit') },
  { path: 'lab', title: 'Lab', icon: 'lab', view: load(() => import('../lab/lab.tsx'), 'Lab') },
];

/** That of a path, and the titles of its tabs by their paths. */
export function findView(location: string) {
  const found = VIEWS.findLast(({ path }) => location === `/${path}` || location.startsWith(`/${path}/`));
  const tabs = VIEWS.filter(({ title, tab }) => tab !== undefined && title === found?.title).map(({ path, tab }) => [`/${path}`, tab]);
  return { ...found, tabs: Object.fromEntries(tabs) as Readonly<Record<string, string>> };
}
