import { expect, test } from 'vitest';
import { Slabs } from './slabs.ts';

const BYTES = 64 << 20;
/** What V8 goes by when it decides to look for garbage. */
const counted = (): number => process.memoryUsage().external;

function filled(): { readonly slabs: Slabs; readonly slab: number } {
  const slabs = new Slabs();
  const slab = slabs.adopt(slabs.make(BYTES));
  slabs.hold(slab, 1);
  slabs.leave(slab, BYTES);
  return { slabs, slab };
}

test.for([
  ['the last row has gone', ({ slabs, slab }: ReturnType<typeof filled>) => slabs.release(slab, 1)],
  ['other data have taken its place', ({ slabs }: ReturnType<typeof filled>) => slabs.end()],
] as const)('the memory of rows makes nobody look for garbage before %s', ([, giveUp]) => {
  const before = counted();
  const held = filled();
  expect(counted() - before).toBeLessThan(BYTES / 2);
  giveUp(held);
  expect(counted() - before).toBeGreaterThan(BYTES / 2);
});

test('where there are many rows, their memory is counted like any other', () => {
  const slabs = new Slabs();
  const before = counted();
  for (let each = 0; each < 8; each++) slabs.leave(slabs.adopt(slabs.make(BYTES)), 0);
  expect(slabs.bytes).toBe(0);
  const many = Array.from({ length: 8 }, () => slabs.adopt(slabs.make(BYTES)));
  expect(counted() - before).toBeGreaterThan(3 * BYTES);
  expect(slabs.bytes).toBe(8 * BYTES);
  expect(many).toHaveLength(8);
});
