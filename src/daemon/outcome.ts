/** What a background process tells the command that started it. */
import type { LoadedDemoTenant } from '../contract/admin/demo.ts';
import type { FirstKey } from '../contract/admin/snapshots.ts';
import type { DaemonStatus } from '../contract/places.ts';
import type { PlainDaemonError } from './errors.ts';

interface Ready {
  readonly status: DaemonStatus;
  readonly notices: readonly string[];
  readonly firstKey: FirstKey | undefined;
  readonly demo: readonly LoadedDemoTenant[];
}

export type Outcome =
  | ({ readonly kind: 'ready' } & Ready)
  /** Another process has the data directory. */
  | { readonly kind: 'locked' }
  | { readonly kind: 'failed'; readonly error: PlainDaemonError };

/** What a start came to, for the command. */
export interface Started extends Ready {
  /** It had been running before. */
  readonly already: boolean;
}
