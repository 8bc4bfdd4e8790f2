import type { Clock } from '../domain/ports.ts';

/** A clock that never goes back, so that commits and their timestamps have the same order. */
export interface ServiceClock extends Clock {
  /** Seconds added to the real time; always 0 without the test clock. */
  readonly offsetSeconds: number;
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
    now() {
      last = Math.max(last, Date.now());
      return new Date(last);
    },
  };
}

export function testClock(): TestClock {
  let offset = 0;
  let last = 0;
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
    },
    set(instant) {
      offset = instant.getTime() - Date.now();
      last = 0;
    },
    reset() {
      offset = 0;
      last = 0;
    },
  };
}
