/** What the servers need of the running daemon. */
import type { AdminClock, DeliveryTools, DemoData, Snapshots, StoreHistory } from '../api/admin/handler.ts';
import type { TenantStates } from '../api/admin/tenant-states/tenant-states.ts';
import type { FaultBody } from '../contract/admin/faults.ts';
import type { NewId } from '../domain/kernel/ports.ts';
import type { Leases, Members } from '../domain/kernel/shared-state.ts';
import type { RequestServices } from './request-services.ts';

export type NotReadyReason = 'starting' | 'stopping' | 'store unavailable' | 'clock skew';

/** Returns why no requests should be sent, or undefined. Called often, so it only reads what is known. */
export type ReadinessCondition = () => NotReadyReason | undefined;

export interface Service extends RequestServices {
  readonly clock: AdminClock;
  readonly newId: NewId;
  readonly members: Members;
  readonly leases: Leases;
  readonly demo: DemoData;
  readonly deliveries: DeliveryTools;
  readonly snapshots: Snapshots;
  readonly history: StoreHistory;
  readonly tenantStates: TenantStates;
  /** Faults that belong together, of fixtures. */
  readonly scenarios: Map<string, readonly FaultBody[]>;
  readonly version: string;
  /** New at every start; also in `/healthz` and in the state file. */
  readonly instanceId: string;
  /** When requests should be sent to this daemon. The store and the lifecycle add theirs. */
  readonly readinessConditions: readonly ReadinessCondition[];
}
