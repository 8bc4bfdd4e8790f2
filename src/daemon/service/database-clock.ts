/**
 * Lets the clock of a service follow that of its database, so that all daemons of the database have one time: they compare expiry, rate
 * windows and leases with it.
 */
import type { TimeSource } from './clock.ts';

const MEASURE_INTERVAL_MS = 10_000;
/** The offset of a machine is off by at most half of the time that a measurement takes, so the fastest of several counts. */
const MEASUREMENTS = 3;
/** A machine whose own clock differs more is not ready: its system time is wrong. */
const MAX_OFFSET_MS = 1_000;

export interface DatabaseClock {
  /** The time of the database, for `createRealClock`. */
  readonly source: TimeSource;
  /** Measures now, and then every ten seconds. Rejects when the first measurement fails. */
  follow(readTime: () => Promise<number>): Promise<void>;
  /** Why this daemon should get no requests; undefined when its clock is right. */
  findProblem(): string | undefined;
  stop(): void;
}

export function createDatabaseClock(): DatabaseClock {
  let offsetMs = 0;
  let timer: NodeJS.Timeout | undefined;
  async function measure(readTime: () => Promise<number>): Promise<void> {
    let fastest = Number.POSITIVE_INFINITY;
    for (let measurement = 0; measurement < MEASUREMENTS; measurement += 1) {
      const [sentAt, startedAt] = [Date.now(), performance.now()];
      const time = await readTime();
      const tookMs = performance.now() - startedAt;
      if (tookMs >= fastest) continue;
      fastest = tookMs;
      offsetMs = Math.round(time - sentAt - tookMs / 2);
    }
  }
  return {
    source: { system: () => Date.now() + offsetMs, monotonic: () => performance.now() },
    async follow(readTime) {
      await measure(readTime);
      // While the database does not answer, the last offset applies.
      timer = setInterval(() => void measure(readTime).catch(() => undefined), MEASURE_INTERVAL_MS).unref();
    },
    findProblem: () =>
      Math.abs(offsetMs) > MAX_OFFSET_MS
        ? `The clock of this machine differs from that of the database by ${(Math.abs(offsetMs) / 1_000).toFixed(1)} s`
        : undefined,
    stop: () => clearInterval(timer),
  };
}
