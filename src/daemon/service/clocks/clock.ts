import { performance } from 'node:perf_hooks';
import type { AdjustableClock, AdminClock } from '../../../api/admin/handler.ts';

/** The time of the service. It never goes back, so that timestamps have the order of commits; `createMonotonicTime` states the limits. */
export interface ServiceClock extends AdminClock {
  /** The tenants with a clock of their own. */
  listTenants(): string[];
  /** Seconds added to the system time; always 0 without the test clock. */
  readonly offsetSeconds: number;
  /** Calls `listener` when the time was moved, so that whatever waits for a time can check again. Returns the function that unsubscribes. */
  onChange(listener: () => void): () => void;
  /**
   * Continues after the time of the latest stored record. Call it before anything else is recorded. Returns 0, or the milliseconds by
   * which `latest` is ahead of the system time when that is too much to continue from it. The test clock ignores it: its time is set.
   */
  resumeAfter(latest: Date): number;
}

export interface TestClock extends ServiceClock, AdjustableClock {}

/** Larger steps back of the system clock are followed immediately. */
export const MAX_SLEW_MS = 3_600_000;
/** Speed of the service's time while the system time catches up with it. */
const SLEW_RATE = 0.5;

export interface TimeSource {
  /** The system time in milliseconds since the epoch, which can be set forward and back. */
  system(): number;
  /** Milliseconds since an arbitrary moment; never set. */
  monotonic(): number;
  /** Whether the system time is unknown, and `system` a guess that nothing may be dated with. Default: it is known. */
  isUnknown?(): boolean;
}

const MACHINE: TimeSource = { system: () => Date.now(), monotonic: () => performance.now() };

export function createRealClock(source: TimeSource = MACHINE): ServiceClock {
  const { time, clock } = createParts(source);
  return {
    ...clock,
    offsetSeconds: 0,
    resumeAfter(latest) {
      // One millisecond later: ids contain the system time, so within one millisecond they would not have the order of the records.
      const next = latest.getTime() + 1;
      const aheadMs = next - source.system();
      if (aheadMs > MAX_SLEW_MS) return aheadMs;
      if (next > time.now()) time.restartFrom(next);
      return 0;
    },
  };
}

/** A test clock with an initial offset to the system time. */
export function createTestClock(offsetSeconds = 0): TestClock {
  let offset = offsetSeconds * 1000;
  const { time, clock, notify } = createParts({ ...MACHINE, system: () => Date.now() + offset });
  return {
    ...clock,
    get offsetSeconds() {
      return Math.round(offset / 1000);
    },
    advance(seconds) {
      offset += seconds * 1000;
      notify();
    },
    set(instant) {
      offset = instant.getTime() - Date.now();
      time.restartFrom(0);
      notify();
    },
    reset() {
      offset = 0;
      time.restartFrom(0);
      notify();
    },
    resumeAfter: () => 0,
  };
}

/** What both clocks have in common. */
function createParts(source: TimeSource) {
  const { notify, onChange } = createListeners();
  const tenants = createTenantClocks(notify);
  // Listeners run after the caller of `now` has finished.
  const time = createMonotonicTime(source, () => setImmediate(notify));
  const now = (tenantId?: string): Date => new Date(time.now() + tenants.getAheadMs(tenantId));
  return { time, notify, clock: { ...tenants, onChange, now } };
}

/**
 * The system time, made monotonic. When the system clock is set back a little, the time is slewed: it continues at half speed until the
 * system time has caught up. It does not stand still, because rate windows and waits would never end, and does not go back, because
 * clients use timestamps as cursors in the audit trail and in lists of changes. A larger step back is followed: the clock was wrong
 * before, and staying years ahead would be worse than records out of order.
 */
function createMonotonicTime({ system, monotonic, isUnknown = () => false }: TimeSource, onStepBack: () => void) {
  let last = 0;
  /** The last guess, from which no time continues. */
  let guess = 0;
  /** Start of the current slew, in service time and in monotonic time. */
  let slew: { readonly from: number; readonly since: number } | undefined;
  return {
    /** Milliseconds since the epoch. */
    now(): number {
      const time = system();
      if (isUnknown()) return (guess = time);
      if (time < guess) onStepBack();
      guess = 0;
      if (time < last && last - time <= MAX_SLEW_MS) {
        slew ??= { from: last, since: monotonic() };
        last = Math.max(last, Math.floor(slew.from + (monotonic() - slew.since) * SLEW_RATE));
        return last;
      }
      const isStepBack = time < last;
      slew = undefined;
      last = time;
      if (isStepBack) onStepBack();
      return last;
    },
    restartFrom(instant: number): void {
      last = instant;
      slew = undefined;
    },
  };
}

function createTenantClocks(notify: () => void) {
  const ahead = new Map<string, number>();
  const getAheadMs = (tenantId?: string): number => (tenantId === undefined ? 0 : (ahead.get(tenantId) ?? 0));
  return {
    getAheadMs,
    setAheadMs(tenantId: string, aheadMs: number): void {
      if (getAheadMs(tenantId) === aheadMs) return;
      if (aheadMs === 0) ahead.delete(tenantId);
      else ahead.set(tenantId, aheadMs);
      notify();
    },
    listTenants: () => [...ahead.keys()],
  };
}

function createListeners() {
  const listeners = new Set<() => void>();
  return {
    notify: () => listeners.forEach((listener) => listener()),
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
