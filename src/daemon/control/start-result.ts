/** The messages between a daemon process and the command that started it. */
import type { LoadedDemoTenant } from '../../contract/admin/demo.ts';
import type { FirstKey } from '../../contract/admin/snapshots.ts';
import type { DaemonStatus, ReplayProgress } from '../../platform/daemon-state.ts';
import type { DaemonConfig } from '../config.ts';
import type { SerializedDaemonError } from '../errors.ts';

/** The first message, to the daemon process. */
export interface StartRequest {
  readonly config: DaemonConfig;
  /** Whether the command has created the data directory. */
  readonly isNewDirectory: boolean;
}

/** A daemon that has started. */
export interface Ready {
  readonly status: DaemonStatus;
  /** Warnings for the user, one sentence each. */
  readonly notices: readonly string[];
  /** Set only by the first start of an empty data directory. */
  readonly firstKey: FirstKey | undefined;
  /** The demo tenants when they were requested; new ones with their keys. */
  readonly demo: readonly LoadedDemoTenant[];
}

export type StartResult =
  | ({ readonly kind: 'ready' } & Ready)
  /** Another process holds the lock of the data directory. */
  | { readonly kind: 'locked' }
  | { readonly kind: 'failed'; readonly error: SerializedDaemonError };

export type StartMessage = StartResult | ({ readonly kind: 'replaying' } & ReplayProgress);

/** The result of a start, for the command. */
export interface StartedDaemon extends Ready {
  /** Whether it was already running before. */
  readonly wasRunning: boolean;
}
