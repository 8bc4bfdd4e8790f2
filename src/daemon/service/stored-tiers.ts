/** Keeps the tiers of the rate limiter equal to the stored ones, which other daemons can change. */
import type { StockroomStore } from '../../domain/tables.ts';
import type { RateLimiter } from '../../http/requests/rate-limiter.ts';
import type { RunInBackground } from './background.ts';

export interface StoredTiers {
  /** Replaces all tiers, after the data were replaced. */
  reload(): Promise<void>;
  stop(): void;
}

interface StoredTiersOptions {
  readonly store: StockroomStore;
  readonly limiter: RateLimiter;
  /** Tiers of the configuration, which override the stored ones until those change. */
  readonly overrides: Readonly<Record<string, number>>;
  readonly runInBackground: RunInBackground;
}

const TIERS_MAX = 10_000;

export async function followStoredTiers({ store, limiter, overrides, runInBackground }: StoredTiersOptions): Promise<StoredTiers> {
  let known = new Map<string, number>();
  const read = async (): Promise<Map<string, number>> => {
    const { rows } = await store.read('', (tx) => tx.tiers.listAfter({ limit: TIERS_MAX }));
    return new Map(rows.map(({ id, requestsPerMinute }) => [id, requestsPerMinute]));
  };
  const reload = async (): Promise<void> => {
    known = await read();
    limiter.replaceTiers({ ...Object.fromEntries(known), ...overrides });
  };
  const applyChanges = async (): Promise<void> => {
    const current = await read();
    for (const [name, limit] of current) if (known.get(name) !== limit) limiter.setTier(name, limit);
    known = current;
  };
  await reload();
  const stop = store.onCommit(({ changes }) => {
    if (changes.some(({ table }) => table === 'tiers')) runInBackground(applyChanges);
  });
  return { reload, stop };
}
