/** What works on the store beside requests: deliveries, retention, usage counts, the receiver of the demo, and restores. */
import type { TenantStates } from '../../api/admin/tenant-states/tenant-states.ts';
import type { FileStore } from '../../store/file/index.ts';
import type { EventRetention } from '../../domain/events/event-log.ts';
import type { StockroomTables } from '../../domain/tables.ts';
import type { Sender } from '../../delivery/sender.ts';
import type { RateLimiter } from '../../http/requests/rate-limiter.ts';
import type { UsageMeter } from '../../http/requests/usage-meter.ts';
import type { RunInBackground } from './background.ts';
import { DeliveryRuntime, type DeliveryRuntimeOptions } from './delivery-runtime.ts';
import { type DemoReceiver, createDemoReceiver } from './demo-receiver.ts';
import type { OpenedStore } from './open-store.ts';
import { publishChanges } from './publish-changes.ts';
import { createRestorer } from './restore.ts';
import { startRetention } from './retention.ts';
import { startSavingUsage } from './save-usage.ts';
import { followTenantClocks } from './stored-clocks.ts';
import { followStoredTiers } from './stored-tiers.ts';

interface WorkerOptions extends Omit<DeliveryRuntimeOptions, 'store' | 'leases'> {
  readonly opened: OpenedStore;
  readonly events: EventRetention;
  readonly limiter: RateLimiter;
  readonly tiers: Readonly<Record<string, number>>;
  readonly tenantStates: TenantStates;
  /** Allows deliveries to the port of the demo's receivers. */
  readonly addReceiverPort: (port: number) => void;
  readonly runInBackground: RunInBackground;
  readonly isClosing: () => boolean;
}

export interface Workers {
  readonly usage: UsageMeter;
  readonly sender: Sender;
  readonly demoReceiver: DemoReceiver;
  /** What the owner should know about the start. */
  readonly notices: readonly string[];
  /** Replaces all data with a snapshot, or with nothing. */
  restore(files: FileStore<StockroomTables>, path: string | undefined): Promise<void>;
  /** Starts to send due deliveries; until then they wait. */
  startDeliveries(): Promise<void>;
  /** Finishes the delivery attempts in progress and starts no more. A second call returns the promise of the first. */
  drainDeliveries(): Promise<void>;
  /** Stops timers, drains deliveries and saves usage counts. */
  stop(): Promise<void>;
}

/** Starts all but the deliveries. */
export async function startWorkers(options: WorkerOptions): Promise<Workers> {
  const { opened, clock, log, feed, limiter, tiers, tenantStates, runInBackground, isClosing } = options;
  const { store, sharedState } = opened;
  const { leases } = sharedState;
  const retention = startRetention({ store, clock, events: options.events, leases, runInBackground });
  const usage = startSavingUsage(opened, runInBackground);
  const storedTiers = await followStoredTiers({ store, clock, limiter, overrides: tiers, runInBackground });
  const deliveries = new DeliveryRuntime({ ...options, store, leases });
  const stopFollowingClocks = followTenantClocks(store, clock, runInBackground);
  const stopPublishing = publishChanges(store, feed, (id) => deliveries.isRecording(id));
  const demoReceiver = createDemoReceiver({ store, clock, log, onListening: options.addReceiverPort });
  const { restore, drainDeliveries } = createRestorer({
    clock,
    log,
    usage: usage.meter,
    tiers: storedTiers,
    tenantStates,
    feed,
    retention,
    demoReceiver,
    deliveries,
    isClosing,
  });
  return {
    usage: usage.meter,
    sender: deliveries.sender,
    demoReceiver,
    notices: storedTiers.warning === undefined ? [] : [storedTiers.warning],
    restore,
    async startDeliveries() {
      await demoReceiver.resume();
      await deliveries.start();
    },
    drainDeliveries,
    async stop() {
      usage.stopTimer();
      storedTiers.stop();
      stopFollowingClocks();
      stopPublishing();
      await retention.stop();
      await drainDeliveries();
      await demoReceiver.close();
      await usage.save();
    },
  };
}
