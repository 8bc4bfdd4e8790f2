import type { Logger } from 'pino';
import type { ReplayProgress } from '../../platform/daemon-state.ts';
import type { Env } from '../../platform/local-paths.ts';
import type { DataDirectoryLock } from '../data-directory/lock.ts';

export interface DaemonEnvironment {
  /** Held until the process ends: when another process can take the lock, this one is gone. */
  readonly lock: DataDirectoryLock;
  readonly log: Logger;
  /** Where `log` writes; undefined if that is stderr. */
  readonly logFile?: string | undefined;
  readonly env: Env;
  /** Called about twice a second while the start replays the journal for more than a second. */
  readonly onReplay?: ((progress: ReplayProgress) => void) | undefined;
}
