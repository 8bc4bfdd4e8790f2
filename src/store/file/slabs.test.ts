import { expect, test } from 'vitest';
import { Slabs } from './slabs.ts';
import { uncounted } from './uncounted.ts';

const BYTES = 64 << 20;
/** What V8 goes by when it decides to look for garbage. */
const counted = (): number => process.memoryUsage().external;

function filled(): { readonly slabs: Slabs; readonly slab: number } {
  const slabs = new Slabs();
  const slab = slabs.adopt(uncounted(BYTES));
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
