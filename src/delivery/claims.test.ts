import { expect, test } from 'vitest';
import { Claims } from './claims.ts';

test('a claim moves from queued to sending to finished, and can be released from any state', () => {
  const claims = new Claims();
  claims.claim('a');
  expect(claims.getState('a')).toBe('queued');
  claims.startSending('a');
  expect(claims.getState('a')).toBe('sending');
  claims.finish('a');
  expect([claims.getState('a'), claims.size]).toEqual(['finished', 1]);
  claims.release('a');
  expect([claims.has('a'), claims.size]).toEqual([false, 0]);
});

test('an attempt that threw is stuck: it can no longer be finished', () => {
  const claims = new Claims();
  claims.claim('a');
  claims.startSending('a');
  claims.markStuck('a');
  claims.finish('a');
  expect(claims.getState('a')).toBe('stuck');
});

test('a delivery that was released in the meantime stays released', () => {
  const claims = new Claims();
  claims.claim('a');
  claims.release('a');
  claims.startSending('a');
  expect(claims.has('a')).toBe(false);
});
