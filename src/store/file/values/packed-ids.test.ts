import fc from 'fast-check';
import { hash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkProperty } from '../../../../test/support/property.ts';
import { PackedIds } from './packed-ids.ts';

const digest = (): string => hash('sha256', randomUUID());

describe.each([
  ['UUIDs', randomUUID],
  ['digests', digest],
  ['pairs of UUIDs', () => `${randomUUID()} ${randomUUID()}`],
  ['linked UUIDs', () => `${randomUUID()}:${randomUUID()}`],
])('%s', (_, createId) => {
  test('packed ids are unpacked unchanged from any slot', () => {
    const ids = Array.from({ length: 100 }, () => createId());
    const packed = PackedIds.createFor(ids[0]!)!;
    ids.forEach((id, at) => expect(packed.set(at * 3, id)).toBe(true));
    ids.forEach((id, at) => {
      expect(packed.get(at * 3)).toBe(id);
      expect(packed.equals(at * 3, id)).toBe(true);
      expect(packed.equals(at * 3, ids[(at + 1) % 100]!)).toBe(false);
    });
  });

  test('packed ids sort as their texts do', () => {
    const ids = Array.from({ length: 200 }, () => createId());
    // Neighbors that differ only in their last digit.
    for (let at = 1; at < 50; at++) ids[at] = ids[at - 1]!.slice(0, -1) + '0123456789abcdef'[at % 16]!;
    const packed = PackedIds.createFor(ids[0]!)!;
    ids.forEach((id, at) => packed.set(at, id));
    const slots = ids.map((__, at) => at);
    expect(slots.toSorted((a, b) => packed.compare(a, b)).map((slot) => ids[slot])).toEqual(ids.toSorted());
  });

  test('a slot without an id has null, which sorts last', () => {
    const packed = PackedIds.createFor(createId())!;
    const ids = [createId(), createId()];
    ids.forEach((id, at) => packed.set(at, id));
    packed.set(9, createId());
    packed.set(0, null);
    expect([0, 1, 5, 10].map((slot) => [packed.get(slot), packed.equals(slot, null)])).toEqual([
      [null, true],
      [ids[1], false],
      [null, true],
      [null, true],
    ]);
    expect(packed.compare(9, 0)).toBeLessThan(0);
    expect(packed.compare(10, 9)).toBeGreaterThan(0);
    expect(packed.compare(10, 0)).toBe(0);
    expect(packed.createValueComparator(null)!(9)).toBeLessThan(0);
    expect(packed.createValueComparator(null)!(10)).toBe(0);
  });

  test('an id whose digits stand for null is not packed', () => {
    const last = createId().replaceAll(/[\da-f]/gu, 'f');
    expect(PackedIds.createFor(last)).toBeUndefined();
    expect(PackedIds.createFor(createId())!.set(0, last)).toBe(false);
  });
});

test('a text that differs from both supported forms at any position is refused, and nothing changes', async () => {
  const uuid = randomUUID();
  const other = randomUUID();
  const packed = PackedIds.createFor(uuid)!;
  packed.set(0, uuid);
  const replacement = fc.record({ at: fc.nat(35), by: fc.constantFrom('g', 'A', 'F', '/', ':', '`', '@', ' ', '\u0130', '\u0230', '') });
  await checkProperty(
    fc.property(replacement, ({ at, by }) => {
      const id = other.slice(0, at) + by + other.slice(at + 1);
      expect(PackedIds.createFor(id)).toBeUndefined();
      expect(packed.set(0, id)).toBe(false);
      expect(packed.equals(0, id)).toBe(false);
      expect(packed.get(0)).toBe(uuid);
    }),
    { shortRuns: 100 },
  );
  expect(packed.set(0, digest())).toBe(false);
  expect(PackedIds.createFor(other.replaceAll('-', '0'))).toBeUndefined();
});
