import fc from 'fast-check';
import { hash, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkProperty } from '../../../../test/support/property.ts';
import { PackedTexts } from './packed-texts.ts';

const digest = (): string => hash('sha256', randomUUID());

test('a text whose digits stand for null is refused', () => {
  const last = randomUUID().replaceAll(/[\da-f]/gu, 'f');
  expect(PackedTexts.createFor(randomUUID())!.set(0, last)).toBe(false);
  expect(PackedTexts.createFor(last)).toBeUndefined();
});

test('texts without many digits, in other alphabets, or of great length are not packed', () => {
  for (const text of ['', 'valve', 'Brass valve M6', 'ünïcödé 12345678', '\u0000'.repeat(9), '0'.repeat(81)])
    expect(PackedTexts.createFor(text)).toBeUndefined();
});

test('a text of another form is refused, and nothing changes', async () => {
  const [uuid, other] = [randomUUID(), randomUUID()];
  const packed = PackedTexts.createFor(uuid)!;
  packed.set(0, uuid);
  const replacement = fc.record({ at: fc.nat(35), by: fc.constantFrom('g', 'A', 'F', '/', ':', '`', '@', ' ', '\u0130', '\u0230', '') });
  await checkProperty(
    fc.property(replacement, ({ at, by }) => {
      const text = other.slice(0, at) + by + other.slice(at + 1);
      expect(packed.set(0, text)).toBe(false);
      expect(packed.equals(0, text)).toBe(false);
      expect(packed.createValueComparator(text)).toBeUndefined();
      expect(packed.get(0)).toBe(uuid);
    }),
    { shortRuns: 100 },
  );
  for (const text of [digest(), other.replaceAll('-', '0')]) expect(packed.set(0, text)).toBe(false);
});
