import type { clockOperations } from '../../contract/admin/clock.ts';
import { CLOCK_FIRST, CLOCK_LAST } from '../../contract/limits.ts';
import { milliseconds } from '../../domain/durations.ts';
import { StockroomError, invalidField } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { AdminHandlers, MovableClock, Plane } from './call.ts';

export const clockHandlers: AdminHandlers<typeof clockOperations> = {
  async 'clock.show'({ plane: { clock } }) {
    return Promise.resolve({ data: { ...stateOf(clock), testClock: isMovable(clock) } });
  },
  async 'clock.advance'({ plane, body }) {
    const by = milliseconds(body.by, '/by');
    if (plane.clock.now().getTime() + by > Date.parse(CLOCK_LAST))
      throw invalidField('/by', `by must not lead beyond ${CLOCK_LAST}`, 'too_big');
    return move(plane, (clock) => clock.advance(by / 1_000));
  },
  async 'clock.set'({ plane, body }) {
    const at = Date.parse(body.at);
    if (at < Date.parse(CLOCK_FIRST)) throw invalidField('/at', `at must not be before ${CLOCK_FIRST}`, 'too_small');
    if (at > Date.parse(CLOCK_LAST)) throw invalidField('/at', `at must not be after ${CLOCK_LAST}`, 'too_big');
    return move(plane, (clock) => clock.set(new Date(at)));
  },
  async 'clock.reset'({ plane }) {
    return move(plane, (clock) => clock.reset());
  },
};

export const isMovable = (clock: Clock): clock is MovableClock => 'advance' in clock;

async function move(plane: Plane, how: (clock: MovableClock) => void) {
  const { clock } = plane;
  if (!isMovable(clock)) {
    throw new StockroomError(
      'NOT_ENABLED',
      "The daemon runs on the real time; start it with 'stockroom daemon start --test-clock' to move its clock.",
    );
  }
  how(clock);
  return Promise.resolve({ data: stateOf(clock) });
}

const stateOf = (clock: Clock) => ({ now: clock.now().toISOString(), offsetSeconds: isMovable(clock) ? clock.offsetSeconds : 0 });
