/** Runs the steps of replays while there are any: after commits that may have ended a batch, and when the rate allows the next one. */
import type { Clock } from '../domain/kernel/ports.ts';
import type { StockroomStore } from '../domain/tables.ts';
import { advanceReplay, isReplayDue, listRunningReplays } from '../domain/webhooks/replays.ts';

interface ReplayRunnerOptions {
  readonly store: StockroomStore;
  readonly clock: Clock;
  readonly log: { error(details: object, message: string): void };
}

export interface ReplayRunner {
  /** Continues the replays of all tenants. */
  start(): Promise<void>;
  /** Starts no further step, and waits for the one in progress. */
  close(): Promise<void>;
}

/** Between steps, if no commit comes earlier. */
const POLL_MS = 200;

export function createReplayRunner({ store, clock, log }: ReplayRunnerOptions): ReplayRunner {
  /** The tenants that may have running replays. */
  const tenants = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isClosed = false;
  let unsubscribe = (): void => undefined;

  async function runSteps(tenant: string): Promise<void> {
    const now = clock.now(tenant);
    const { replays, due } = await store.read(tenant, async (tx) => {
      const found = await listRunningReplays(tx);
      const isDue = await Promise.all(found.map((replay) => isReplayDue(tx, replay, now)));
      return { replays: found.length, due: found.filter((_, at) => isDue[at]) };
    });
    if (replays === 0) tenants.delete(tenant);
    for (const { id } of due) await store.transact(tenant, (tx) => advanceReplay(tx, tenant, id));
  }

  async function run(): Promise<void> {
    for (const tenant of tenants) {
      if (isClosed) return;
      try {
        await runSteps(tenant);
      } catch (error) {
        if (!isClosed) log.error({ err: error, tenant }, 'a replay could not continue; it will try again');
      }
    }
  }

  function schedule(delayMs: number): void {
    if (isClosed || tenants.size === 0 || running !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = run().finally(() => {
        running = undefined;
        schedule(POLL_MS);
      });
    }, delayMs);
  }

  return {
    async start() {
      unsubscribe = store.onCommit(({ tenant, changes }) => {
        // Without an id, any kind of change may have happened.
        const mayRun = changes.some(({ table, id, removed }) => table === 'webhookReplays' && (id === undefined || !removed));
        if (mayRun) tenants.add(tenant);
        else if (!tenants.has(tenant) || !changes.some(({ table }) => table === 'deliveries')) return;
        schedule(0);
      });
      for (const { tenant } of await store.readFirstRows('webhookReplays', { where: [{ field: 'state', equals: 'running' }] }))
        tenants.add(tenant);
      schedule(0);
    },
    async close() {
      isClosed = true;
      unsubscribe();
      clearTimeout(timer);
      await running;
    },
  };
}
