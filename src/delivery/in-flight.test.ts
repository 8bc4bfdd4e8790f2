import { expect, test } from 'vitest';
import { InFlightDeliveries } from './in-flight.ts';

/** InFlightDeliveries with one delivery `a` in a state. */
const STATES = {
  queued: () => createInFlight((inFlight) => inFlight.add('a')),
  sending: () => createInFlight((inFlight) => (inFlight.add('a'), inFlight.startSending('a'))),
  finished: () => createInFlight((inFlight) => (inFlight.add('a'), inFlight.startSending('a'), inFlight.finish('a'))),
  stuck: () => createInFlight((inFlight) => (inFlight.add('a'), inFlight.startSending('a'), inFlight.markStuck('a'))),
  released: () => createInFlight((inFlight) => (inFlight.add('a'), inFlight.release('a'))),
};
function createInFlight(prepare: (inFlight: InFlightDeliveries) => void): InFlightDeliveries {
  const inFlight = new InFlightDeliveries();
  prepare(inFlight);
  return inFlight;
}

test('a delivery in flight moves from queued to sending, and from there to finished or stuck', () => {
  for (const state of ['queued', 'sending', 'finished', 'stuck'] as const) {
    const inFlight = STATES[state]();
    expect([inFlight.getState('a'), inFlight.has('a'), inFlight.size]).toEqual([state, true, 1]);
  }
});

test('an attempt is in progress, or waits to be stored, while a delivery is sending or finished', () => {
  const states = Object.entries(STATES).map(([state, create]) => [state, create().hasAttempts]);
  expect(Object.fromEntries(states)).toEqual({ queued: false, sending: true, finished: true, stuck: false, released: false });
});

test('a delivery in flight can be released from any state', () => {
  for (const create of Object.values(STATES)) {
    const inFlight = create();
    inFlight.release('a');
    expect([inFlight.getState('a'), inFlight.has('a'), inFlight.size]).toEqual([undefined, false, 0]);
  }
});

test('any other move leaves the state as it is; a delivery that was released stays released', () => {
  for (const [move, states] of [
    ['startSending', ['sending', 'finished', 'stuck', 'released']],
    ['finish', ['queued', 'finished', 'stuck', 'released']],
    ['markStuck', ['queued', 'finished', 'stuck', 'released']],
  ] as const)
    for (const state of states) {
      const inFlight = STATES[state]();
      const before = inFlight.getState('a');
      inFlight[move]('a');
      expect([move, state, inFlight.getState('a'), inFlight.size]).toEqual([move, state, before, state === 'released' ? 0 : 1]);
    }
});
