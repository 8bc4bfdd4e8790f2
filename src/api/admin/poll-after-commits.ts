import { setTimeout as sleep } from 'node:timers/promises';
import type { StockroomStore } from '../../domain/tables.ts';

/** Calls `isOver` now and after every commit, until it returns true. Returns false when `signal` aborts first. */
export async function pollAfterCommits(store: StockroomStore, isOver: () => Promise<boolean>, signal?: AbortSignal): Promise<boolean> {
  const aborted = Promise.withResolvers<void>();
  signal?.addEventListener('abort', () => aborted.resolve());
  let committed = Promise.withResolvers<void>();
  const unsubscribe = store.onCommit(() => committed.resolve());
  try {
    for (;;) {
      if (await isOver()) return true;
      if (signal?.aborted) return false;
      await Promise.race([committed.promise, aborted.promise]);
      committed = Promise.withResolvers();
      // Commits of one turn are looked at together.
      await sleep(0);
    }
  } finally {
    unsubscribe();
  }
}
