import { expect, test } from 'vitest';
import { Slices } from './slices.ts';

const SLOTS = Uint32Array.from({ length: 1_000 }, (_, slot) => slot);
const LONG_MS = 4;

const long = (): void => {
  const end = performance.now() + LONG_MS;
  while (performance.now() < end);
};

test('every slot gets its turn once, in order', () => {
  const slices = new Slices({ least: 8, most: 64 });
  const seen: number[] = [];
  for (let at = 0; at < SLOTS.length;) at += slices.take(SLOTS, at, (slice) => seen.push(...slice));
  expect(seen).toEqual([...SLOTS]);
});

test('slices begin short and grow while they are quick', () => {
  const slices = new Slices({ least: 8, most: 64 });
  const seen = Array.from({ length: 50 }, () => slices.take(SLOTS, 0, () => undefined));
  expect([seen[0], Math.max(...seen)]).toEqual([8, 64]);
});

test('slices that take long shrink, down to the least', () => {
  const slices = new Slices({ least: 8, most: 64 });
  const quick = Array.from({ length: 50 }, () => slices.take(SLOTS, 0, () => undefined));
  const slow = Array.from({ length: 5 }, () => slices.take(SLOTS, 0, long));
  expect(Math.max(...quick)).toBe(64);
  expect(slow.at(-1)).toBe(8);
});
