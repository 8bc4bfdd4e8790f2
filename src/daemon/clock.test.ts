import { expect, test } from 'vitest';
import { BRIDGED_MS, realClock, testClock } from './clock.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const MINUTE = 60_000;
const YEAR = 365 * 24 * 60 * MINUTE;

/** A machine whose clock can be put forward and back while time passes. */
function machine() {
  let [passed, put] = [0, NOON];
  return {
    source: { system: () => put + passed, steady: () => passed },
    pass: (ms: number) => void (passed += ms),
    put: (ms: number) => void (put += ms),
  };
}

test('the time is that of the system, and never earlier than it was', () => {
  const { source, pass } = machine();
  const clock = realClock(source);
  expect(clock.now().getTime()).toBe(NOON);
  pass(1_500);
  expect(clock.now().getTime()).toBe(NOON + 1_500);
});

test('a system clock put back a little is waited for at half the pace: the time neither goes back nor stands still', () => {
  const { source, pass, put } = machine();
  const clock = realClock(source);
  const before = clock.now().getTime();
  put(-10 * MINUTE);
  expect(clock.now().getTime()).toBe(before);
  pass(2 * MINUTE);
  expect(clock.now().getTime()).toBe(before + MINUTE);
  // Put back again meanwhile: still no step.
  put(-MINUTE);
  expect(clock.now().getTime()).toBe(before + MINUTE);
  pass(20 * MINUTE);
  expect(clock.now().getTime()).toBe(before + 11 * MINUTE);
  pass(MINUTE);
  expect(clock.now().getTime()).toBe(source.system());
});

test('a system clock put back by more than is bridged is followed, and whoever waits for an instant is told', async () => {
  const { source, put } = machine();
  const clock = realClock(source);
  put(10 * YEAR);
  clock.now();
  const told = new Promise<void>((resolve) => clock.onChange(resolve));
  put(-10 * YEAR);
  expect(clock.now().getTime()).toBe(NOON);
  await told;
});

test('after a start the time goes on behind the newest record, unless that is too far ahead to be true', () => {
  const { source, pass } = machine();
  const clock = realClock(source);
  const newest = NOON + 5 * MINUTE;
  expect(clock.goOnBehind(new Date(newest))).toBe(0);
  expect(clock.now().getTime()).toBe(newest + 1);
  pass(2 * MINUTE);
  expect(clock.now().getTime()).toBe(newest + 1 + MINUTE);
  const other = realClock(source);
  expect(other.goOnBehind(new Date(source.system() + BRIDGED_MS + MINUTE))).toBe(BRIDGED_MS + MINUTE + 1);
  expect(other.now().getTime()).toBe(source.system());
  expect(other.goOnBehind(new Date(0))).toBe(0);
  expect(other.now().getTime()).toBe(source.system());
});

test('an instant is written as any date is, as often as it is asked for', () => {
  const clock = testClock();
  clock.set(new Date('2026-02-28T23:59:59.999Z'));
  const at = clock.now();
  const text = new Date(at.getTime()).toISOString();
  expect([at.toISOString(), at.toISOString(), JSON.stringify(at)]).toEqual([text, text, `"${text}"`]);
});
