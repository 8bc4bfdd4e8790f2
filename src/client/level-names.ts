/** What people call stock levels: the SKU and the site. Their events have only the ids of both. */
import type { ChangeEventEntry } from '../contract/resources/events.ts';
import { QUERY_VALUES_MAX } from '../contract/limits.ts';
import type { StockLevel } from '../contract/resources/stock-levels.ts';

type LevelEvent = Pick<ChangeEventEntry, 'resourceType' | 'resourceId'>;

/** Parameters of the list of stock levels. */
export type LevelQuery = {
  readonly item_id: readonly string[];
  /** All sites if absent, as there are too many for a request. */
  readonly site_id?: readonly string[];
};

export type LevelNames = ReturnType<typeof createLevelNames>;

/** Their `resourceId` has the ids of item and site, joined by a colon. */
const KINDS: ReadonlySet<string> = new Set<ChangeEventEntry['resourceType']>(['stock_level', 'reorder_point']);
/** Then they are read again, so that a command or dashboard may run for long. */
const NAMES_MAX = 10_000;

export function createLevelNames() {
  const names = new Map<string, string>();
  const listUnknown = (events: readonly LevelEvent[]): readonly string[] => [
    ...new Set(events.flatMap(({ resourceType, resourceId }) => (KINDS.has(resourceType) && !names.has(resourceId) ? [resourceId] : []))),
  ];
  return {
    /** Null if it was not read, or is no level. */
    get: (resourceId: string): string | null => names.get(resourceId) || null,
    getAll: (): Readonly<Record<string, string>> => Object.fromEntries(names),
    areMissing: (events: readonly LevelEvent[]): boolean => listUnknown(events).length > 0,
    /** Reads those of the events that are unknown, with one request for all that it has room for. Deleted ones are not asked for again. */
    async read(events: readonly LevelEvent[], readLevels: (query: LevelQuery) => Promise<readonly StockLevel[]>): Promise<void> {
      if (names.size > NAMES_MAX) names.clear();
      const unknown = listUnknown(events);
      const [items, sites] = [0, 1].map((part) => [...new Set(unknown.map((id) => id.split(':')[part] ?? ''))]) as [string[], string[]];
      for (let at = 0; at < items.length; at += QUERY_VALUES_MAX) {
        const query = { item_id: items.slice(at, at + QUERY_VALUES_MAX), ...(sites.length <= QUERY_VALUES_MAX ? { site_id: sites } : {}) };
        for (const { itemId, siteId, item, site } of await readLevels(query))
          names.set(`${itemId}:${siteId}`, `${item.sku ?? item.name} at ${site.name}`);
      }
      for (const id of unknown) if (!names.has(id)) names.set(id, '');
    },
  };
}
