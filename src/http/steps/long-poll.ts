/** Waits for commits of a tenant, so that a request without rows is answered with the first one. */
import { ApiResponse } from '../../api/handler.ts';
import type { StockroomStore } from '../../domain/tables.ts';
import type { OperationRequest } from './operation-request.ts';

export interface CommitWatch {
  /** Resolves with the next commit of the tenant that changed the table, or when `signal` aborts. Starts watching at once. */
  next(tenantId: string, signal: AbortSignal): Promise<void>;
}

/** One listener for all waiting requests: a commit costs the same whether none or a thousand wait for other tenants. */
export function createCommitWatch(store: StockroomStore, table: string): CommitWatch {
  const waiting = new Map<string, Set<() => void>>();
  let unsubscribe: (() => void) | undefined;
  return {
    next(tenantId, signal) {
      if (signal.aborted) return Promise.resolve();
      unsubscribe ??= store.onCommit(({ tenant, changes }) => {
        const resolvers = waiting.get(tenant);
        if (resolvers === undefined || !changes.some((change) => change.table === table)) return;
        for (const resolve of resolvers) resolve();
      });
      return new Promise((resolve) => {
        const resolvers = waiting.get(tenantId) ?? new Set();
        waiting.set(tenantId, resolvers);
        const end = () => {
          resolvers.delete(end);
          if (resolvers.size === 0 && waiting.get(tenantId) === resolvers) waiting.delete(tenantId);
          if (waiting.size === 0) {
            unsubscribe?.();
            unsubscribe = undefined;
          }
          signal.removeEventListener('abort', end);
          resolve();
        };
        resolvers.add(end);
        signal.addEventListener('abort', end);
      });
    },
  };
}

interface Wait {
  readonly signal: AbortSignal;
  /** Releases timer and listeners. */
  readonly end: () => void;
}

/** A wait that ends after `seconds`, when the client disconnects, and when the service stops. Undefined for zero seconds. */
export function openWait({ raw }: Pick<OperationRequest, 'raw'>, seconds: number, closing: AbortSignal): Wait | undefined {
  if (seconds === 0) return undefined;
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, seconds * 1_000);
  raw?.res.once('close', abort);
  closing.addEventListener('abort', abort);
  // Either may have happened during the first read.
  if (closing.aborted || raw?.res.closed) abort();
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      raw?.res.removeListener('close', abort);
      closing.removeEventListener('abort', abort);
      // Ends what still waits with the signal.
      abort();
    },
  };
}

interface Poll {
  /** What the handler returned. */
  readonly first: unknown;
  /** Runs the handler with the query that it has named. */
  readonly again: (query: unknown) => Promise<unknown>;
  readonly waitForCommit: (signal: AbortSignal) => Promise<void>;
  readonly openWait: () => Wait | undefined;
}

/** The query with which a long poll continues; undefined if there are rows. */
const getPollQuery = (result: unknown): unknown => (result instanceof ApiResponse ? result.pollQuery : undefined);

/** Reads until there is something, or until the wait ends. */
export async function pollUntilFound({ first, again, waitForCommit, openWait: open }: Poll): Promise<unknown> {
  const wait = getPollQuery(first) === undefined ? undefined : open();
  if (wait === undefined) return first;
  let result = first;
  try {
    while (!wait.signal.aborted) {
      // Before the read, so that no commit is missed in between.
      const committed = waitForCommit(wait.signal);
      result = await again(getPollQuery(result));
      if (getPollQuery(result) === undefined) break;
      await committed;
    }
    return result;
  } finally {
    wait.end();
  }
}
