import { expect, test } from 'vitest';
import { realClock, testClock } from './clock.ts';

test('an instant is written as any date is, as often as it is asked for', () => {
  const clock = testClock();
  clock.set(new Date('2026-02-28T23:59:59.999Z'));
  const at = clock.now();
  expect([at.toISOString(), at.toISOString(), JSON.stringify(at)]).toEqual([
    new Date(at.getTime()).toISOString(),
    new Date(at.getTime()).toISOString(),
    `"${new Date(at.getTime()).toISOString()}"`,
  ]);
});

test('instants never go back, but where the test clock is set back', () => {
  const real = realClock();
  let last = real.now().getTime();
  for (let count = 0; count < 10_000; count += 1) {
    const now = real.now().getTime();
    expect(now).toBeGreaterThanOrEqual(last);
    last = now;
  }
  const clock = testClock();
  clock.advance(3_600);
  const ahead = clock.now();
  expect(ahead.getTime() - Date.now()).toBeGreaterThan(3_590_000);
  clock.advance(-3_600);
  expect(clock.now().getTime()).toBeGreaterThanOrEqual(ahead.getTime());
  clock.set(new Date('2020-01-01T00:00:00.000Z'));
  expect(clock.now().toISOString()).toMatch(/^2020-01-01T00:0/u);
  clock.reset();
  expect(clock.now().getTime()).toBeGreaterThan(Date.parse('2026-01-01'));
});
