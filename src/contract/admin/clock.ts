/** The service's clock. It can be changed only when the service was started with the test clock. */
import { single, defineAdminOperation } from '../operation.ts';
import { t } from '../schema/builder.ts';
import { duration } from './shared-schemas.ts';

export const clockState = t.object({
  now: t.timestamp(),
  offsetSeconds: t.annotate(t.int(), { description: 'Offset from the system clock, in seconds.' }),
});

export const showClock = defineAdminOperation('clock.show', 'GET', '/admin/clock', {
  summary: 'Get the time of the service',
  result: single(t.object({ ...clockState.properties, testClock: t.bool() })),
});

export const advanceClock = defineAdminOperation('clock.advance', 'POST', '/admin/clock/advance', {
  summary: 'Move the test clock forward',
  body: t.object({ by: duration() }),
  result: single(clockState),
  errors: ['NOT_ENABLED'],
  example: { body: { by: '25h' } },
});

export const setClock = defineAdminOperation('clock.set', 'POST', '/admin/clock/set', {
  summary: 'Set the test clock',
  description: 'The time may be in the past. The clock continues from there.',
  body: t.object({ at: t.timestamp() }),
  result: single(clockState),
  errors: ['NOT_ENABLED'],
  example: { body: { at: '2026-12-31T23:59:00Z' } },
});

export const resetClock = defineAdminOperation('clock.reset', 'POST', '/admin/clock/reset', {
  summary: 'Reset the test clock to the system time',
  body: t.object({}),
  result: single(clockState),
  errors: ['NOT_ENABLED'],
});

export const clockOperations = [showClock, advanceClock, setClock, resetClock] as const;
