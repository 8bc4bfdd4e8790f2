/** The clock of the service; it can be moved when the service was started with the test clock. */
import { one, operation } from '../operation.ts';
import { t } from '../schema.ts';
import { duration } from './common.ts';

export const clockState = t.object({
  now: t.timestamp(),
  offsetSeconds: t.about(t.int(), { description: 'Seconds ahead of the real time.' }),
});

export const showClock = operation({
  id: 'clock.show',
  method: 'GET',
  path: '/admin/clock',
  scope: null,
  summary: 'Read the clock',
  status: 200,
  result: one(t.object({ ...clockState.properties, testClock: t.bool() })),
});

export const advanceClock = operation({
  id: 'clock.advance',
  method: 'POST',
  path: '/admin/clock/advance',
  scope: null,
  summary: 'Move the test clock forward',
  body: t.object({ by: duration() }),
  status: 200,
  result: one(clockState),
  errors: ['NOT_ENABLED'],
  example: { body: { by: '25h' } },
});

export const setClock = operation({
  id: 'clock.set',
  method: 'POST',
  path: '/admin/clock/set',
  scope: null,
  summary: 'Put the test clock to an instant, also an earlier one; it goes on from there',
  body: t.object({ at: t.timestamp() }),
  status: 200,
  result: one(clockState),
  errors: ['NOT_ENABLED'],
  example: { body: { at: '2026-12-31T23:59:00Z' } },
});

export const resetClock = operation({
  id: 'clock.reset',
  method: 'POST',
  path: '/admin/clock/reset',
  scope: null,
  summary: 'Put the test clock back to the real time',
  body: t.object({}),
  status: 200,
  result: one(clockState),
  errors: ['NOT_ENABLED'],
});

export const clockOperations = [showClock, advanceClock, setClock, resetClock] as const;
