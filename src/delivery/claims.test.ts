import { expect, test } from 'vitest';
import { Claims } from './claims.ts';

/** Claims with one delivery `a` in a state. */
const STATES = {
  queued: () => createClaims((claims) => claims.claim('a')),
  sending: () => createClaims((claims) => (claims.claim('a'), claims.startSending('a'))),
  finished: () => createClaims((claims) => (claims.claim('a'), claims.startSending('a'), claims.finish('a'))),
  stuck: () => createClaims((claims) => (claims.claim('a'), claims.startSending('a'), claims.markStuck('a'))),
  released: () => createClaims((claims) => (claims.claim('a'), claims.release('a'))),
};
function createClaims(prepare: (claims: Claims) => void): Claims {
  const claims = new Claims();
  prepare(claims);
  return claims;
}

test('a claim moves from queued to sending, and from there to finished or stuck', () => {
  for (const state of ['queued', 'sending', 'finished', 'stuck'] as const) {
    const claims = STATES[state]();
    expect([claims.getState('a'), claims.has('a'), claims.size]).toEqual([state, true, 1]);
  }
});

test('an attempt is in progress, or waits to be stored, while a delivery is sending or finished', () => {
  const states = Object.entries(STATES).map(([state, create]) => [state, create().hasAttempts]);
  expect(Object.fromEntries(states)).toEqual({ queued: false, sending: true, finished: true, stuck: false, released: false });
});

test('a claim can be released from any state', () => {
  for (const create of Object.values(STATES)) {
    const claims = create();
    claims.release('a');
    expect([claims.getState('a'), claims.has('a'), claims.size]).toEqual([undefined, false, 0]);
  }
});

test('any other move leaves the state as it is; a delivery that was released stays released', () => {
  for (const [move, states] of [
    ['startSending', ['sending', 'finished', 'stuck', 'released']],
    ['finish', ['queued', 'finished', 'stuck', 'released']],
    ['markStuck', ['queued', 'finished', 'stuck', 'released']],
  ] as const)
    for (const state of states) {
      const claims = STATES[state]();
      const before = claims.getState('a');
      claims[move]('a');
      expect([move, state, claims.getState('a'), claims.size]).toEqual([move, state, before, state === 'released' ? 0 : 1]);
    }
});
