import type { clockOperations } from '../../contract/admin/clock.ts';
import { milliseconds } from '../../domain/durations.ts';
import { StockroomError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { AdminHandlers, MovableClock, Plane } from './call.ts';

export const clockHandlers: AdminHandlers<typeof clockOperations> = {
  async 'clock.show'({ plane: { clock } }) {
    return Promise.resolve({ data: { ...stateOf(clock), testClock: isMovable(clock) } });
  },
  async 'clock.advance'({ plane, body }) {
    const by = milliseconds(body.by, '/by');
    return move(plane, (clock) => clock.advance(by / 1_000));
  },
  async 'clock.set'({ plane, body }) {
    return move(plane, (clock) => clock.set(new Date(body.at)));
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
  // What was counted until now belongs to the billing period of now.
  await plane.saveCounters();
  how(clock);
  return { data: stateOf(clock) };
}

const stateOf = (clock: Clock) => ({ now: clock.now().toISOString(), offsetSeconds: isMovable(clock) ? clock.offsetSeconds : 0 });
