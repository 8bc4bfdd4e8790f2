/** Keeps the tiers of the rate limiter equal to the stored ones, which other daemons can change. */
import { DEFAULT_TIER } from '../../contract/limits.ts';
import type { StockroomStore } from '../../domain/tables.ts';
import type { RateLimiter } from '../../http/requests/rate-limiter.ts';
import type { RunInBackground } from './background.ts';
import type { ServiceClock } from './clocks/clock.ts';

export interface StoredTiers {
  /** What is wrong with the tiers at the start. */
  readonly warning: string | undefined;
  /** Replaces all tiers, after the data were replaced. Returns what is wrong with them. */
  reload(): Promise<string | undefined>;
  stop(): void;
}

interface StoredTiersOptions {
  readonly store: StockroomStore;
  readonly clock: Pick<ServiceClock, 'now'>;
  readonly limiter: RateLimiter;
  /** Tiers of the configuration, which override the stored ones until those change. */
  readonly overrides: Readonly<Record<string, number>>;
  readonly runInBackground: RunInBackground;
}

const TIERS_MAX = 10_000;

export async function followStoredTiers({ store, clock, limiter, overrides, runInBackground }: StoredTiersOptions): Promise<StoredTiers> {
  let known = new Map<string, number>();
  const read = async (): Promise<Map<string, number>> => {
    const { rows } = await store.read('', (tx) => tx.tiers.listAfter({ limit: TIERS_MAX }));
    return new Map(rows.map(({ id, requestsPerMinute }) => [id, requestsPerMinute]));
  };
  const reload = async (): Promise<string | undefined> => {
    known = await read();
    limiter.replaceTiers({ ...Object.fromEntries(known), ...overrides });
    return describeMissing(await listTiersOfKeys(store, clock.now()), limiter.listTiers());
  };
  const applyChanges = async (): Promise<void> => {
    const current = await read();
    for (const [name, limit] of current) if (known.get(name) !== limit) limiter.setTier(name, limit);
    known = current;
  };
  const warning = await reload();
  const stop = store.onCommit(({ changes }) => {
    if (changes.some(({ table }) => table === 'tiers')) runInBackground(applyChanges);
  });
  return { warning, reload, stop };
}

/** The tiers of all keys that are valid. */
async function listTiersOfKeys(store: StockroomStore, now: Date): Promise<ReadonlySet<string>> {
  const where = [{ field: 'revokedAt', equals: null }];
  const { rows } = await store.read('', (tx) => tx.apiKeys.listAfter({ where, limit: Number.MAX_SAFE_INTEGER }));
  const valid = rows.filter(({ expiresAt }) => expiresAt === null || expiresAt > now.toISOString());
  return new Set(valid.map(({ rateLimitTier }) => rateLimitTier));
}

/** A tier that only a flag of an earlier start had: its keys get the limit of another one. */
function describeMissing(names: ReadonlySet<string>, tiers: ReadonlyMap<string, number>): string | undefined {
  const missing = [...names].filter((name) => !tiers.has(name)).toSorted();
  const [first] = missing;
  if (first === undefined) return undefined;
  const tier = missing.length === 1 ? `tier ${first}, which is` : `tiers ${missing.join(', ')}, which are`;
  const limit = `${String(tiers.get(DEFAULT_TIER))} requests per minute, as in tier ${DEFAULT_TIER}`;
  return `API keys have the ${tier} not configured; they may send ${limit}. Set it with \`stockroom tiers set ${first} REQUESTS_PER_MINUTE\`.`;
}
