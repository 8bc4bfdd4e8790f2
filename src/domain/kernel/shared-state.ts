/**
 * State that all daemons of one store share, as interfaces next to `Store`. With the file store, which has one daemon, it is in memory and
 * answers synchronously, so that callers wait only for a promise.
 */

/** Awaiting a value that is not a promise would cost a turn of the microtask queue, so check with `instanceof Promise` on busy paths. */
export type MaybePromise<T> = T | Promise<T>;

/** A window of one API key: it starts with a request and ends after `RATE_WINDOW_S`. A-4. */
export interface RateWindow {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Admitted requests, including the one that was counted. */
  readonly used: number;
}

export interface CountedRequest extends RateWindow {
  readonly isAllowed: boolean;
}

/** The rate windows of API keys. Concurrent requests are counted one after the other, whichever daemons receive them. */
export interface RateWindows {
  /** Counts a request, unless the window has `limit` already. `now`: milliseconds since the epoch, of the service's clock. */
  count(keyId: string, limit: number, now: number): MaybePromise<CountedRequest>;
  /** The window as this daemon has last seen it, which was with the last request that it counted; undefined without an open window. */
  peek(keyId: string, now: number): RateWindow | undefined;
}

/** Work that only one daemon may do at a time, such as the deliveries to an endpoint. */
export interface LeaseHolder {
  /** A lease was obtained, possibly again: whatever was read before may have changed. */
  onAcquired(name: string): void;
  /** Whether work under the lease is in progress. A lease is handed to another daemon only when there is none. */
  isBusy(name: string): boolean;
}

/** Leases of one kind, shared evenly among the daemons that have opened the group. */
export interface LeaseGroup {
  /** The names of all existing leases of the group, which replace those of an earlier call. */
  setNames(names: readonly string[]): void;
  /** Whether this daemon may start work under the lease now. False before the lease expires for others. */
  isOwned(name: string): boolean;
  /** Gives all leases back. */
  close(): Promise<void>;
}

export interface Leases {
  openGroup(group: string, holder: LeaseHolder): LeaseGroup;
}

/** A live daemon. */
export interface Member {
  readonly instanceId: string;
  /** Null until it listens. */
  readonly url: string | null;
  readonly version: string;
  /** Timestamps, as text. */
  readonly startedAt: string;
  readonly seenAt: string;
  readonly hasTestClock: boolean;
}

export interface Members {
  /** The live daemons of the database, including this one, oldest first. Empty for a store that only one daemon can open. */
  list(): MaybePromise<readonly Member[]>;
  /** Whether this daemon or another live one has a test clock, although they share the database: one of them had lost it for a while. */
  hasClockConflict(): boolean;
  /** Publishes the URL under which this daemon listens. */
  setUrl(url: string): MaybePromise<void>;
}

/** Thrown when a daemon joins: a test clock would change the time of the other daemons. */
export class TestClockConflict extends Error {
  override readonly name = 'TestClockConflict';
  /** The live daemons that prevent it. */
  readonly others: readonly Member[];
  constructor(others: readonly Member[]) {
    super('A daemon with a test clock must be the only one of its database');
    this.others = others;
  }
}

export interface SharedState {
  readonly rateWindows: RateWindows;
  readonly leases: Leases;
  readonly members: Members;
  /** Leaves the other daemons: gives everything back that this one holds. */
  close(): Promise<void>;
}
