/** The table of each tab: columns, filter text, and which rows are problems. */
import type { AnyRow, AttentionRow, DataTab, State, Tab } from '../state/model.ts';
import type { Table } from './table.ts';
import { audit } from './audit.ts';
import { deliveries } from './deliveries.ts';
import { endpoints } from './endpoints.ts';
import { events } from './events.ts';
import { items } from './items.ts';
import { limits } from './limits.ts';
import { orders } from './orders.ts';
import { requests } from './requests.ts';

/** What needs attention, as sentences. */
const overview: Table<AttentionRow> = {
  title: 'Overview',
  short: 'Overview',
  isFollowable: false,
  columns: [{ title: 'NEEDS ATTENTION', width: 40, rank: 1, text: ({ text }) => text, tone: ({ tone }) => tone }],
  search: ({ text }) => text,
  queryFields: () => ({}),
  emptyText: 'Nothing needs attention.',
};

const TABLES: { readonly [T in DataTab]: Table<State['rows'][T][number]> } & { readonly overview: Table<AttentionRow> } = {
  overview,
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
