/** The service's clock. It can be changed only when the service was started with the test clock. */
import { single, defineOperation } from '../operation.ts';
import { t } from '../schema/builder.ts';
import { duration } from './shared-schemas.ts';

export const clockState = t.object({
  now: t.timestamp(),
  offsetSeconds: t.annotate(t.int(), { description: 'Offset from the system clock, in seconds.' }),
});

export const showClock = defineOperation({
  id: 'clock.show',
  method: 'GET',
  path: '/admin/clock',
  scope: null,
  summary: 'Get the time of the service',
  status: 200,
  result: single(t.object({ ...clockState.properties, testClock: t.bool() })),
});

export const advanceClock = defineOperation({
  id: 'clock.advance',
  method: 'POST',
  path: '/admin/clock/advance',
  scope: null,
  summary: 'Move the test clock forward',
  body: t.object({ by: duration() }),
  status: 200,
  result: single(clockState),
  errors: ['NOT_ENABLED'],
  example: { body: { by: '25h' } },
});

export const setClock = defineOperation({
  id: 'clock.set',
  method: 'POST',
  path: '/admin/clock/set',
  scope: null,
  summary: 'Set the test clock',
  description: 'The time may be in the past. The clock continues from there.',
  body: t.object({ at: t.timestamp() }),
  status: 200,
  result: single(clockState),
  errors: ['NOT_ENABLED'],
  example: { body: { at: '2026-12-31T23:59:00Z' } },
});

export const resetClock = defineOperation({
  id: 'clock.reset',
  method: 'POST',
  path: '/admin/clock/reset',
  scope: null,
  summary: 'Reset the test clock to the system time',
  body: t.object({}),
  status: 200,
  result: single(clockState),
  errors: ['NOT_ENABLED'],
});

export const clockOperations = [showClock, advanceClock, setClock, resetClock] as const;
