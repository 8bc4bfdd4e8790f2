/** Admin handlers of the test clock, and the clocks of tenants. */
import type { clockOperations } from '../../contract/admin/clock.ts';
import { CLOCK_FIRST, CLOCK_LAST } from '../../contract/limits.ts';
import { parseDuration } from '../../domain/tenancy/durations.ts';
import { StockroomError, invalidField } from '../../domain/kernel/errors.ts';
import type { Clock } from '../../domain/kernel/ports.ts';
import type { AdminHandlers, AdjustableClock, AdminServices } from './handler.ts';

export const clockHandlers: AdminHandlers<typeof clockOperations> = {
  'clock.show': ({ services: { clock } }) => ({ data: { ...presentClock(clock), testClock: isAdjustable(clock) } }),
  'clock.advance'({ services, body }) {
    const by = parseStep(body.by, services.clock.now());
    return moveClock(services, (clock) => clock.advance(by / 1_000));
  },
  'clock.set'({ services, body }) {
    const at = parseTime(body.at);
    return moveClock(services, (clock) => clock.set(at));
  },
  'clock.reset': ({ services }) => moveClock(services, (clock) => clock.reset()),
};

export const isAdjustable = (clock: Clock): clock is AdjustableClock => 'advance' in clock;

function moveClock({ clock }: AdminServices, change: (clock: AdjustableClock) => void) {
  assertAdjustable(clock);
  change(clock);
  return { data: presentClock(clock) };
}

export function assertAdjustable(clock: Clock): asserts clock is AdjustableClock {
  if (isAdjustable(clock)) return;
  throw new StockroomError('NOT_ENABLED', 'The daemon runs on real time. Start it with --test-clock to change its clock.');
}

/** Returns milliseconds. */
export function parseStep(text: string, now: Date): number {
  const by = parseDuration(text, '/by');
  if (now.getTime() + by > Date.parse(CLOCK_LAST)) throw invalidField('/by', `by must not move the clock beyond ${CLOCK_LAST}`, 'too_big');
  return by;
}

export function parseTime(text: string): Date {
  const at = Date.parse(text);
  if (at < Date.parse(CLOCK_FIRST)) throw invalidField('/at', `at must not be before ${CLOCK_FIRST}`, 'too_small');
  if (at > Date.parse(CLOCK_LAST)) throw invalidField('/at', `at must not be after ${CLOCK_LAST}`, 'too_big');
  return new Date(at);
}

const presentClock = (clock: Clock) => ({ now: clock.now().toISOString(), offsetSeconds: isAdjustable(clock) ? clock.offsetSeconds : 0 });
