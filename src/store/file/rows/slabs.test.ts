import { expect, test } from 'vitest';
import { Slabs } from './slabs.ts';

const BYTES = 64 << 20;
/** The memory that V8 considers when it decides to collect garbage. */
const getAccountedBytes = (): number => process.memoryUsage().external;

function createFullSlab(): { readonly slabs: Slabs; readonly slab: number } {
  const slabs = new Slabs();
  const slab = slabs.add(slabs.allocate(BYTES));
  slabs.retain(slab, 1);
  slabs.seal(slab, BYTES);
  return { slabs, slab };
}

test.for([
  ['its last row is released', ({ slabs, slab }: ReturnType<typeof createFullSlab>) => slabs.release(slab, 1)],
  ['all slabs are freed', ({ slabs }: ReturnType<typeof createFullSlab>) => slabs.freeAll()],
] as const)('V8 does not account the memory of a slab until %s', ([, free]) => {
  const before = getAccountedBytes();
  const full = createFullSlab();
  expect(getAccountedBytes() - before).toBeLessThan(BYTES / 2);
  free(full);
  expect(getAccountedBytes() - before).toBeGreaterThan(BYTES / 2);
});

test('V8 accounts the memory of slabs above the limit', () => {
  const slabs = new Slabs();
  const before = getAccountedBytes();
  for (let each = 0; each < 8; each++) slabs.seal(slabs.add(slabs.allocate(BYTES)), 0);
  expect(slabs.totalBytes).toBe(0);
  const many = Array.from({ length: 8 }, () => slabs.add(slabs.allocate(BYTES)));
  expect(getAccountedBytes() - before).toBeGreaterThan(3 * BYTES);
  expect(slabs.totalBytes).toBe(8 * BYTES);
  expect(many).toHaveLength(8);
});
