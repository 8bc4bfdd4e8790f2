/** The table of each tab: columns, filter text, and which rows are problems. */
import type { AnyRow, AttentionRow, DataTab, State, Tab } from '../state/model.ts';
import type { Table } from './table-types.ts';
import { attention } from './tables/attention.ts';
import { audit } from './tables/audit.ts';
import { deliveries } from './tables/deliveries.ts';
import { endpoints } from './tables/endpoints.ts';
import { events } from './tables/events.ts';
import { items } from './tables/items.ts';
import { limits } from './tables/limits.ts';
import { orders } from './tables/orders.ts';
import { requests } from './tables/requests.ts';

const TABLES: { readonly [T in DataTab]: Table<State['rows'][T][number]> } & { readonly overview: Table<AttentionRow> } = {
  overview: attention,
  deliveries,
  limits,
  endpoints,
  requests,
  audit,
  items,
  orders,
  events,
};

/** The table of a tab without its row type: callers pass only rows of the same tab. */
export const getTable = (tab: Tab): Table<AnyRow> => TABLES[tab];
