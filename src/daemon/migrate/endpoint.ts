/** The two ends of a migration: a data directory or a database, for which no daemon may run. */
import type { StockroomStore } from '../../domain/tables.ts';
import type { Env } from '../../platform/local-paths.ts';
import type { Clock } from '../../domain/kernel/ports.ts';

/** `source`: its data is read only. `target`: created if necessary. */
export type Role = 'source' | 'target';

/** Disposing of it lets daemons start again. */
export interface Endpoint extends AsyncDisposable {
  /** The directory, or the address without a password. */
  readonly name: string;
  readonly store: StockroomStore;
  /** A text that differs after every change of the data. */
  readDataVersion(): Promise<string>;
  /** Identifies the data whose copy is not complete; undefined if there is none. */
  readUnfinishedCopy(): Promise<string | undefined>;
  markUnfinishedCopy(source: string): Promise<void>;
  removeUnfinishedCopyMark(): Promise<void>;
}

export interface EndpointOptions {
  readonly role: Role;
  /** The time of transactions. */
  readonly clock: Clock;
  readonly env: Env;
  /** Called with a sentence for the user. */
  readonly onNotice: (message: string) => void;
}

/** Rows that a store caches. More would only take memory: each row is read once or twice. */
export const CACHED_ROWS = 2_000;
