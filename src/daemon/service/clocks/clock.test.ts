import { expect, test } from 'vitest';
import { MAX_SLEW_MS, createRealClock } from './clock.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const MINUTE = 60_000;
const YEAR = 365 * 24 * 60 * MINUTE;

/** A machine whose system clock can be stepped forward and back. */
function createMachine() {
  let [elapsed, offset] = [0, NOON];
  return {
    source: { system: () => offset + elapsed, monotonic: () => elapsed },
    pass: (ms: number) => void (elapsed += ms),
    step: (ms: number) => void (offset += ms),
  };
}

test('the real clock follows the system clock', () => {
  const { source, pass } = createMachine();
  const clock = createRealClock(source);
  expect(clock.now().getTime()).toBe(NOON);
  pass(1_500);
  expect(clock.now().getTime()).toBe(NOON + 1_500);
});

test('a small step back of the system clock is slewed: the time continues at half speed until the system clock has caught up', () => {
  const { source, pass, step } = createMachine();
  const clock = createRealClock(source);
  const before = clock.now().getTime();
  step(-10 * MINUTE);
  expect(clock.now().getTime()).toBe(before);
  pass(2 * MINUTE);
  expect(clock.now().getTime()).toBe(before + MINUTE);
  // Another step back during the slew.
  step(-MINUTE);
  expect(clock.now().getTime()).toBe(before + MINUTE);
  pass(20 * MINUTE);
  expect(clock.now().getTime()).toBe(before + 11 * MINUTE);
  pass(MINUTE);
  expect(clock.now().getTime()).toBe(source.system());
});

test('a large step back of the system clock is followed, and listeners are notified', async () => {
  const { source, step } = createMachine();
  const clock = createRealClock(source);
  step(10 * YEAR);
  clock.now();
  const notified = new Promise<void>((resolve) => clock.onChange(resolve));
  step(-10 * YEAR);
  expect(clock.now().getTime()).toBe(NOON);
  await notified;
});

test('resumeAfter continues after the latest record, unless that is too far ahead', () => {
  const { source, pass } = createMachine();
  const clock = createRealClock(source);
  const latest = NOON + 5 * MINUTE;
  expect(clock.resumeAfter(new Date(latest))).toBe(0);
  expect(clock.now().getTime()).toBe(latest + 1);
  pass(2 * MINUTE);
  expect(clock.now().getTime()).toBe(latest + 1 + MINUTE);
  const other = createRealClock(source);
  expect(other.resumeAfter(new Date(source.system() + MAX_SLEW_MS + MINUTE))).toBe(MAX_SLEW_MS + MINUTE + 1);
  expect(other.now().getTime()).toBe(source.system());
  expect(other.resumeAfter(new Date(0))).toBe(0);
  expect(other.now().getTime()).toBe(source.system());
});
