/** What a background process tells the command that started it. */
import type { DaemonStatus } from '../contract/places.ts';
import type { PlainDaemonError } from './errors.ts';
import type { FirstKey } from './first.ts';

export type Outcome =
  | { readonly kind: 'ready'; readonly status: DaemonStatus; readonly notices: readonly string[]; readonly firstKey: FirstKey | undefined }
  /** Another process has the data directory. */
  | { readonly kind: 'locked' }
  | { readonly kind: 'failed'; readonly error: PlainDaemonError };
