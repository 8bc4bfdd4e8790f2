import fc from 'fast-check';
import { hash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { packAll, PackedIds, unpackAll } from './packed-ids.ts';

const SEED = 20_261_121;

const digest = (): string => hash('sha256', randomUUID());

describe.each([
  ['UUIDs', randomUUID],
  ['digests', digest],
])('%s', (_, make) => {
  test('come back as they were, at any slot', () => {
    const ids = Array.from({ length: 100 }, () => make());
    const packed = PackedIds.like(ids[0]!)!;
    ids.forEach((id, at) => expect(packed.set(at * 3, id)).toBe(true));
    ids.forEach((id, at) => {
      expect(packed.get(at * 3)).toBe(id);
      expect(packed.is(at * 3, id)).toBe(true);
      expect(packed.is(at * 3, ids[(at + 1) % 100]!)).toBe(false);
    });
  });

  test('sort as their texts do', () => {
    const ids = Array.from({ length: 200 }, () => make());
    // Neighbours that differ in their last digit only.
    for (let at = 1; at < 50; at++) ids[at] = ids[at - 1]!.slice(0, -1) + '0123456789abcdef'[at % 16]!;
    const packed = PackedIds.like(ids[0]!)!;
    ids.forEach((id, at) => packed.set(at, id));
    const slots = ids.map((__, at) => at);
    expect(slots.toSorted((a, b) => packed.compare(a, b)).map((slot) => ids[slot])).toEqual(ids.toSorted());
  });

  test('are packed all at once or not at all', () => {
    const ids = Array.from({ length: 5 }, () => make());
    const { words, width } = packAll(ids)!;
    expect(unpackAll(words, width)).toEqual(ids);
    expect(packAll([...ids, 'other'])).toBeUndefined();
    expect(packAll([...ids, null])).toBeUndefined();
  });
});

test('a text that differs in any place from the two forms is not taken, and nothing is changed', () => {
  const uuid = randomUUID();
  const other = randomUUID();
  const packed = PackedIds.like(uuid)!;
  packed.set(0, uuid);
  const strange = fc.record({ at: fc.nat(35), by: fc.constantFrom('g', 'A', 'F', '/', ':', '`', '@', ' ', '\u0130', '\u0230', '') });
  fc.assert(
    fc.property(strange, ({ at, by }) => {
      const id = other.slice(0, at) + by + other.slice(at + 1);
      expect(PackedIds.like(id)).toBeUndefined();
      expect(packed.set(0, id)).toBe(false);
      expect(packed.is(0, id)).toBe(false);
      expect(packed.get(0)).toBe(uuid);
    }),
    { seed: SEED },
  );
  expect(packed.set(0, digest())).toBe(false);
  expect(PackedIds.like(other.replaceAll('-', '0'))).toBeUndefined();
});
