/**
 * The rate windows of API keys in the database, exact for all daemons. A-4. The requests that arrive in one turn of the event loop, or
 * while a statement is on its way, share the next one. The table is not logged: after a crash of the database, windows start again.
 */
import { setImmediate } from 'node:timers';
import { RATE_WINDOW_S } from '../../../contract/limits.ts';
import type { CountedRequest, RateWindow, RateWindows } from '../../../domain/kernel/shared-state.ts';
import { type Queryable, SHORT_TIMEOUT_MS, defineStatement } from '../database.ts';
import { SCHEMA } from '../table-columns.ts';

export const RATE_WINDOWS_DDL: readonly string[] = [
  `CREATE UNLOGGED TABLE ${SCHEMA}.rate_windows (
    key_id text COLLATE "C" PRIMARY KEY,
    started_at bigint NOT NULL,
    used integer NOT NULL,
    request_limit integer NOT NULL,
    admitted integer NOT NULL
  ) WITH (fillfactor = 50)`,
];

const WINDOW_MS = RATE_WINDOW_S * 1_000;
/** Daemons that share a window differ in their time by less than this. A window further in the future is from before a clock was set back. */
const CLOCK_TOLERANCE_MS = 10_000;

const IS_OPEN = `excluded.started_at < w.started_at + ${String(WINDOW_MS)} AND excluded.started_at > w.started_at - ${String(CLOCK_TOLERANCE_MS)}`;
/** How many more requests the open window admits. `excluded.used` is the number of requests, as far as it is within the limit. */
const ADMITTED = 'least(excluded.used, greatest(excluded.request_limit - w.used, 0))';
/** Rows are locked in the order of the keys, so that statements of two daemons cannot wait for each other. */
const COUNT = defineStatement(
  `INSERT INTO ${SCHEMA}.rate_windows AS w (key_id, started_at, used, request_limit, admitted)
   SELECT key_id, at, least(requests, request_limit), request_limit, least(requests, request_limit)
   FROM unnest($1::text[], $2::bigint[], $3::integer[], $4::integer[]) AS r (key_id, at, requests, request_limit)
   ORDER BY key_id
   ON CONFLICT (key_id) DO UPDATE SET
     started_at = CASE WHEN ${IS_OPEN} THEN w.started_at ELSE excluded.started_at END,
     used = CASE WHEN ${IS_OPEN} THEN w.used + ${ADMITTED} ELSE excluded.used END,
     admitted = CASE WHEN ${IS_OPEN} THEN ${ADMITTED} ELSE excluded.used END,
     request_limit = excluded.request_limit
   RETURNING key_id, started_at, used, admitted`,
  SHORT_TIMEOUT_MS,
);
const PURGE = defineStatement(
  `DELETE FROM ${SCHEMA}.rate_windows WHERE started_at < extract(epoch FROM clock_timestamp() - interval '1 day') * 1000`,
);

const PURGE_INTERVAL_MS = 3_600_000;
/** Windows in memory, of which ended ones are forgotten from time to time. */
const SEEN_MAX = 10_000;

interface WaitingRequest {
  readonly keyId: string;
  readonly limit: number;
  readonly now: number;
  readonly resolve: (counted: CountedRequest) => void;
  readonly reject: (error: unknown) => void;
}

export interface DatabaseRateWindows extends RateWindows {
  close(): void;
}

export function createDatabaseRateWindows(database: Queryable): DatabaseRateWindows {
  /** As of the last statement that counted a request of the key. */
  const seen = new Map<string, RateWindow>();
  let waiting: WaitingRequest[] = [];
  let isSending = false;
  // What stays is only larger than necessary.
  const timer = setInterval(() => void database.query(PURGE, []).catch(() => undefined), PURGE_INTERVAL_MS).unref();

  const findOpen = (keyId: string, now: number): RateWindow | undefined => {
    const window = seen.get(keyId);
    return window && now < window.startedAt + WINDOW_MS && now > window.startedAt - CLOCK_TOLERANCE_MS ? window : undefined;
  };
  const forgetEnded = (now: number): void => {
    if (seen.size > SEEN_MAX) for (const keyId of seen.keys()) if (!findOpen(keyId, now)) seen.delete(keyId);
  };
  async function send(batch: readonly WaitingRequest[]): Promise<void> {
    const byKey = Map.groupBy(batch, ({ keyId }) => keyId);
    const keys = [...byKey.values()];
    const latest = keys.map((requests) => requests.at(-1)!);
    try {
      const rows = await database.query(COUNT, [
        [...byKey.keys()],
        latest.map(({ now }) => now),
        keys.map(({ length }) => length),
        latest.map(({ limit }) => limit),
      ]);
      for (const [keyId, startedAt, used, admitted] of rows) {
        const window = { startedAt: Number(startedAt), used: Number(used) };
        seen.set(String(keyId), window);
        settle(byKey.get(String(keyId)) ?? [], window, Number(admitted));
      }
      forgetEnded(latest[0]?.now ?? 0);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
  async function sendAll(): Promise<void> {
    for (; waiting.length > 0;) {
      const batch = waiting;
      waiting = [];
      await send(batch);
    }
    isSending = false;
  }

  return {
    count(keyId, limit, now) {
      const window = findOpen(keyId, now);
      // No daemon can admit more in a window that is used up.
      if (window && window.used >= limit) return { ...window, isAllowed: false };
      return new Promise((resolve, reject) => {
        waiting.push({ keyId, limit, now, resolve, reject });
        if (isSending) return;
        isSending = true;
        setImmediate(() => void sendAll());
      });
    },
    peek: findOpen,
    close: () => clearInterval(timer),
  };
}

/** Resolves the requests of one key: the first `admitted` of them are allowed. */
function settle(requests: readonly WaitingRequest[], { startedAt, used }: RateWindow, admitted: number): void {
  for (const [index, { resolve }] of requests.entries()) {
    const isAllowed = index < admitted;
    resolve({ isAllowed, startedAt, used: isAllowed ? used - admitted + index + 1 : used });
  }
}
