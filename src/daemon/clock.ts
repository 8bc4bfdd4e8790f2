import type { Clock } from '../domain/ports.ts';

/** A clock that never goes back, so that commits and their timestamps have the same order. */
export interface ServiceClock extends Clock {
  /** Seconds added to the real time; always 0 without the test clock. */
  readonly offsetSeconds: number;
  /** Calls when the time has been moved, so that what waits for an instant can look again. Returns the function that ends it. */
  onChange(listener: () => void): () => void;
}

export interface TestClock extends ServiceClock {
  advance(seconds: number): void;
  /** Jumps to an instant, also backwards: only the test clock may. */
  set(instant: Date): void;
  reset(): void;
}

export function realClock(): ServiceClock {
  let last = 0;
  return {
    offsetSeconds: 0,
    onChange: () => () => undefined,
    now() {
      last = Math.max(last, Date.now());
      return new Date(last);
    },
  };
}

/** A test clock, moved already by so many seconds. */
export function testClock(offsetSeconds = 0): TestClock {
  let offset = offsetSeconds * 1000;
  let last = 0;
  const listeners = new Set<() => void>();
  const moved = () => {
    for (const listener of listeners) listener();
  };
  const now = () => {
    last = Math.max(last, Date.now() + offset);
    return new Date(last);
  };
  return {
    now,
    get offsetSeconds() {
      return Math.round(offset / 1000);
    },
    advance(seconds) {
      offset += seconds * 1000;
      moved();
    },
    set(instant) {
      offset = instant.getTime() - Date.now();
      last = 0;
      moved();
    },
    reset() {
      offset = 0;
      last = 0;
      moved();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
