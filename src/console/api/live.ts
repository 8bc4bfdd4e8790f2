/** Live refresh: waits at the change log for the next event, and reads again what it may have changed. */
import { useEffect } from 'react';
import { create } from 'zustand';
import { listEvents } from '../../contract/resources/events.ts';
import { ApiError, call, isOffline, sleep } from './client.ts';
import { queryClient } from './queries.ts';
import { getToken } from './session.ts';

const WAIT_S = 25;
/** A burst of events causes one read. */
const REFRESH_PAUSE_MS = 700;
const RETRY_MS = 1_000;
const PAGES_REFRESHED_MAX = 5;

/** The first part of the ids of the operations whose results an event may change. */
const AFFECTED: Readonly<Record<string, readonly string[]>> = {
  item: ['items', 'stock_levels', 'reorder_advice'],
  order: ['orders', 'stock_levels', 'reorder_advice', 'contacts'],
  contact: ['contacts', 'orders'],
  stock_document: ['stock_documents', 'stock_movements', 'stock_levels', 'reorder_advice', 'orders'],
  stock_level: ['stock_levels', 'reorder_advice'],
  reorder_point: ['stock_levels', 'reorder_advice'],
  site: ['settings'],
  unit: ['settings'],
  category: ['settings'],
  user: ['settings'],
  organization: ['organization', 'auth'],
};

/** Whether the service answers. */
export const useConnection = create(() => true);

/** Follows the change log while the page is signed in. */
export function useLiveRefresh(): void {
  useEffect(() => {
    const controller = new AbortController();
    void follow(controller.signal);
    return () => controller.abort();
  }, []);
}

async function follow(signal: AbortSignal): Promise<void> {
  let cursor = 'latest';
  let isStale = false;
  while (!signal.aborted && getToken() !== null) {
    try {
      // The first request answers at once, so that a lost connection is noticed as such.
      const wait = cursor === 'latest' || !useConnection.getState() ? 0 : WAIT_S;
      const { data, pagination } = await call(listEvents, { query: { cursor, wait, limit: 200 } }, { signal });
      if (isStale || !useConnection.getState()) await queryClient.invalidateQueries();
      isStale = false;
      useConnection.setState(true, true);
      cursor = pagination.nextCursor;
      if (data.length > 0) {
        const areas = new Set(['events', 'audit', 'webhooks', ...data.flatMap(({ resourceType }) => AFFECTED[resourceType] ?? [])]);
        await queryClient.invalidateQueries({
          predicate: ({ queryKey: [id], state }) => areas.has(String(id).split('.')[0] ?? '') && !isLong(state.data),
        });
        await sleep(REFRESH_PAUSE_MS, signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isOffline(error)) useConnection.setState(false, true);
      // All data was replaced, or the events are too old: so may be whatever is shown. After another error, such as 429, the cursor is valid.
      else if (error instanceof ApiError && [400, 410].includes(error.status)) {
        cursor = 'latest';
        isStale = true;
      }
      await sleep(RETRY_MS);
    }
  }
}

/** A list of which many pages were read would be read again page by page. */
const isLong = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages) && data.pages.length > PAGES_REFRESHED_MAX;
