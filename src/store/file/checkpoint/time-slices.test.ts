import { expect, test } from 'vitest';
import { TimeSlicer } from './time-slices.ts';

const SLOTS = Uint32Array.from({ length: 1_000 }, (_, slot) => slot);
const LONG_MS = 4;

const blockLong = (): void => {
  const end = performance.now() + LONG_MS;
  while (performance.now() < end);
};

test('slices cover every slot once, in order', () => {
  const slices = new TimeSlicer({ min: 8, max: 64 });
  const seen: number[] = [];
  for (let at = 0; at < SLOTS.length;) at += slices.runSlice(SLOTS, at, (slice) => seen.push(...slice));
  expect(seen).toEqual([...SLOTS]);
});

test('slices start short and grow while they are fast', () => {
  const slices = new TimeSlicer({ min: 8, max: 64 });
  const seen = Array.from({ length: 50 }, () => slices.runSlice(SLOTS, 0, () => undefined));
  expect([seen[0], Math.max(...seen)]).toEqual([8, 64]);
});

test('slow slices shrink to the minimum', () => {
  const slices = new TimeSlicer({ min: 8, max: 64 });
  const fast = Array.from({ length: 50 }, () => slices.runSlice(SLOTS, 0, () => undefined));
  const slow = Array.from({ length: 5 }, () => slices.runSlice(SLOTS, 0, blockLong));
  expect(Math.max(...fast)).toBe(64);
  expect(slow.at(-1)).toBe(8);
});
