/** Follows the daemon across its restarts. */
import { setTimeout as sleep } from 'node:timers/promises';

const RECONNECT_MS = 500;

export interface FollowOptions<T> {
  /** Follows one connection until it ends. Calls `reportConnected` with the URL of the daemon when it is open. `isLost`: an earlier one has failed or ended. */
  follow(reportConnected: (url: string) => void, isLost: boolean): AsyncIterable<T>;
  /** Whether another attempt is made after an error; otherwise it is thrown. */
  isRetried(error: unknown, isFirstAttempt: boolean): boolean;
  /** Printed when the first attempt has connected. */
  readonly startNote?: string;
  readonly printNote: (text: string) => void;
  /** By default it runs as long as its messages are read. */
  readonly signal?: AbortSignal;
}

/** Connects again each time the connection ends. A lost connection is reported once. */
export async function* followDaemon<T>({
  follow,
  isRetried,
  startNote,
  printNote,
  signal = new AbortController().signal,
}: FollowOptions<T>): AsyncGenerator<T> {
  let isLost: boolean | undefined;
  /** Where the daemon was last. */
  let address = '';
  const reportConnected = (url: string): void => {
    address = ` at ${url}`;
    const note = isLost === undefined ? startNote : isLost ? `Reconnected to the daemon${address}` : undefined;
    if (note !== undefined) printNote(note);
    isLost = false;
  };
  while (!signal.aborted) {
    try {
      yield* follow(reportConnected, isLost === true);
    } catch (error) {
      if (!isRetried(error, isLost === undefined)) throw error;
    }
    if (signal.aborted) return;
    if (isLost !== true) printNote(`The daemon${address} does not respond; reconnecting`);
    isLost = true;
    await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
  }
}
