import { performance } from 'node:perf_hooks';
import type { Clock } from '../domain/ports.ts';

/** The service's time. It does not go back, so that commits and their timestamps have the same order; `onward` says how far that reaches. */
export interface ServiceClock extends Clock {
  /** Seconds added to the real time; always 0 without the test clock. */
  readonly offsetSeconds: number;
  /** Calls when the time has been moved, so that what waits for an instant can look again. Returns the function that ends it. */
  onChange(listener: () => void): () => void;
  /**
   * Told, before anything else is recorded, when the newest record was made: the real time goes on behind it. Returns the milliseconds by which
   * that is too far ahead to be bridged, else 0. A test clock takes no notice, because it stands where it was put.
   */
  goOnBehind(newest: Date): number;
}

export interface TestClock extends ServiceClock {
  advance(seconds: number): void;
  /** Jumps to an instant, also backwards: only the test clock may. */
  set(instant: Date): void;
  reset(): void;
}

/** So far back the system's clock may be put without the service's time going back with it. */
export const BRIDGED_MS = 3_600_000;
/** How fast the service's time goes on until the system's has come up with it. */
const BRIDGING_PACE = 0.5;

export interface TimeSource {
  /** What the system's clock says, in milliseconds since the epoch: somebody may put it forward and back. */
  system(): number;
  /** Milliseconds since any moment, at a steady pace. */
  steady(): number;
}

const MACHINE: TimeSource = { system: () => Date.now(), steady: () => performance.now() };

export function realClock(source: TimeSource = MACHINE): ServiceClock {
  const { listeners, onChange } = listening();
  // Whoever asked what time it is has to finish first.
  const instantOf = instants();
  const time = onward(source, () => setImmediate(() => listeners.forEach((tell) => tell())));
  return {
    offsetSeconds: 0,
    onChange,
    now: () => instantOf(time.now()),
    goOnBehind(newest) {
      // One millisecond later: ids are made from the system's time, so they would not order what is recorded within the same one.
      const next = newest.getTime() + 1;
      const ahead = next - source.system();
      if (ahead > BRIDGED_MS) return ahead;
      if (next > time.now()) time.goOnFrom(next);
      return 0;
    },
  };
}

/** A test clock, moved already by so many seconds. */
export function testClock(offsetSeconds = 0): TestClock {
  let offset = offsetSeconds * 1000;
  const { listeners, onChange } = listening();
  const moved = () => listeners.forEach((tell) => tell());
  const instantOf = instants();
  const time = onward({ ...MACHINE, system: () => Date.now() + offset }, () => setImmediate(moved));
  return {
    now: () => instantOf(time.now()),
    get offsetSeconds() {
      return Math.round(offset / 1000);
    },
    advance(seconds) {
      offset += seconds * 1000;
      moved();
    },
    set(instant) {
      offset = instant.getTime() - Date.now();
      time.goOnFrom(0);
      moved();
    },
    reset() {
      offset = 0;
      time.goOnFrom(0);
      moved();
    },
    onChange,
    goOnBehind: () => 0,
  };
}

/**
 * The system's time. When that is put back a little, this one goes on at half the pace until the other has come up: it never stands still,
 * because windows and waits would never end, and never goes back, because readers of the audit trail and of what changed hold a time.
 * A larger step is followed: the clock stood wrong before, and to stay years ahead would be worse than any disorder.
 */
function onward({ system, steady }: TimeSource, onStepBack: () => void) {
  let last = 0;
  /** Where the bridge over a step back began, in this time and in the steady one. */
  let bridge: { readonly from: number; readonly since: number } | undefined;
  return {
    /** Milliseconds since the epoch. */
    now(): number {
      const time = system();
      if (time < last && last - time <= BRIDGED_MS) {
        bridge ??= { from: last, since: steady() };
        last = Math.max(last, Math.floor(bridge.from + (steady() - bridge.since) * BRIDGING_PACE));
        return last;
      }
      const steppedBack = time < last;
      bridge = undefined;
      last = time;
      if (steppedBack) onStepBack();
      return last;
    },
    goOnFrom(instant: number): void {
      last = instant;
      bridge = undefined;
    },
  };
}

/** A date that is written out once, however many rows of a change name it. Nobody may move it. */
class Instant extends Date {
  #text: string | undefined;

  override toISOString(): string {
    return (this.#text ??= super.toISOString());
  }
}

/** All instants of one millisecond are one. */
function instants(): (milliseconds: number) => Instant {
  let last = new Instant(0);
  return (milliseconds) => (milliseconds === last.getTime() ? last : (last = new Instant(milliseconds)));
}

function listening() {
  const listeners = new Set<() => void>();
  return {
    listeners,
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
