import { expect, test } from 'vitest';
import { Slabs } from './slabs.ts';

const BYTES = 1_000;

function createSlab(slabs: Slabs): number {
  const slab = slabs.add(Buffer.allocUnsafeSlow(BYTES));
  slabs.retain({ slab, offset: 0, length: 10 });
  return slab;
}

test('a slab is freed when it is sealed and its last row is released, in either order', () => {
  const slabs = new Slabs();
  const first = createSlab(slabs);
  slabs.seal(first, 10);
  expect(slabs.totalBytes).toBe(BYTES);
  slabs.release({ slab: first, offset: 0, length: 10 });
  expect(slabs.totalBytes).toBe(0);
  const second = createSlab(slabs);
  slabs.release({ slab: second, offset: 0, length: 10 });
  expect(slabs.totalBytes).toBe(BYTES);
  slabs.seal(second, 10);
  expect([slabs.totalBytes, slabs.liveBytes]).toEqual([0, 0]);
});

test('a slab is sparse when less than 60 % of its written bytes are live', () => {
  const slabs = new Slabs();
  const slab = createSlab(slabs);
  slabs.seal(slab, 16);
  expect(slabs.isSparse(slab)).toBe(false);
  slabs.release({ slab: slab, offset: 0, length: 1 });
  expect(slabs.isSparse(slab)).toBe(true);
});

test('a row that is moved keeps its bytes, and leaves its slab', () => {
  const slabs = new Slabs();
  const slab = slabs.add(Buffer.from('before row after'));
  const row = { slab, offset: 7, length: 3 };
  slabs.retain(row);
  slabs.seal(slab, 16);
  const moved = slabs.move(row);
  expect(moved.slab).not.toBe(slab);
  expect(slabs.getBuffer(moved.slab).toString('utf8', moved.offset, moved.offset + moved.length)).toBe('row');
  expect([slabs.liveBytes, slabs.totalBytes]).toEqual([3, slabs.getBuffer(moved.slab).length]);
});
