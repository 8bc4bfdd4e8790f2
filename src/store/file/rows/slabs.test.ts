import { expect, test } from 'vitest';
import { SLAB_BYTES, Slabs } from './slabs.ts';

function createSlab(slabs: Slabs): number {
  const slab = slabs.add(Buffer.allocUnsafeSlow(SLAB_BYTES));
  slabs.retain(slab, 10);
  return slab;
}

test('a slab is freed when it is sealed and its last row is released, in either order', () => {
  const slabs = new Slabs();
  const first = createSlab(slabs);
  slabs.seal(first, 10);
  expect(slabs.totalBytes).toBe(SLAB_BYTES);
  slabs.release(first, 10);
  expect(slabs.totalBytes).toBe(0);
  const second = createSlab(slabs);
  slabs.release(second, 10);
  expect(slabs.totalBytes).toBe(SLAB_BYTES);
  slabs.seal(second, 10);
  expect([slabs.totalBytes, slabs.liveBytes]).toEqual([0, 0]);
});

test('a slab is sparse when less than 60 % of its written bytes are live', () => {
  const slabs = new Slabs();
  const slab = createSlab(slabs);
  slabs.seal(slab, 16);
  expect(slabs.isSparse(slab)).toBe(false);
  slabs.release(slab, 1);
  expect(slabs.isSparse(slab)).toBe(true);
});
