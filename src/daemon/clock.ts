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

/** A date that is written out once, however many rows of a change name it. Nobody may move it. */
class Instant extends Date {
  #text: string | undefined;

  override toISOString(): string {
    return (this.#text ??= super.toISOString());
  }
}

/** Instants that never go back; all of one millisecond are one. */
function instants(): (milliseconds: number) => Instant {
  let last = new Instant(0);
  return (milliseconds) => (milliseconds > last.getTime() ? (last = new Instant(milliseconds)) : last);
}

export function realClock(): ServiceClock {
  const instantOf = instants();
  return { offsetSeconds: 0, onChange: () => () => undefined, now: () => instantOf(Date.now()) };
}

/** A test clock, moved already by so many seconds. */
export function testClock(offsetSeconds = 0): TestClock {
  let offset = offsetSeconds * 1000;
  let instantOf = instants();
  const listeners = new Set<() => void>();
  const moved = () => {
    for (const listener of listeners) listener();
  };
  const now = () => instantOf(Date.now() + offset);
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
      instantOf = instants();
      moved();
    },
    reset() {
      offset = 0;
      instantOf = instants();
      moved();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
