import fc from 'fast-check';
import { hash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkProperty } from '../../../../test/support/property.ts';
import { PackedTexts } from './packed-texts.ts';

const digest = (): string => hash('sha256', randomUUID());
const instant = (): string => new Date(Math.floor(Math.random() * 4e12)).toISOString();

describe.each([
  ['UUIDs', randomUUID],
  ['digests', digest],
  ['pairs of UUIDs', () => `${randomUUID()} ${randomUUID()}`],
  ['timestamps', instant],
])('%s', (_, createText) => {
  test('packed texts are unpacked unchanged from any slot', () => {
    const texts = Array.from({ length: 100 }, () => createText());
    const packed = PackedTexts.createFor(texts[0]!)!;
    texts.forEach((text, at) => expect(packed.set(at * 3, text)).toBe(true));
    texts.forEach((text, at) => {
      expect(packed.get(at * 3)).toBe(text);
      expect(packed.equals(at * 3, text)).toBe(true);
      expect(packed.equals(at * 3, texts[(at + 1) % 100]!)).toBe(false);
    });
  });

  test('packed texts sort as the texts do', () => {
    const texts = Array.from({ length: 200 }, () => createText());
    // Neighbors that differ only in one digit near their end.
    for (let at = 1; at < 50; at++) texts[at] = texts[at - 1]!.replace(/.(?=.$)/u, '0123456789abcdef'[at % 16]!);
    const packed = PackedTexts.createFor(texts[0]!)!;
    texts.forEach((text, at) => expect(packed.set(at, text)).toBe(true));
    const slots = texts.map((__, at) => at);
    expect(slots.toSorted((a, b) => packed.compare(a, b)).map((slot) => texts[slot])).toEqual(texts.toSorted());
  });

  test('a slot without a text has null, which sorts last', () => {
    const texts = [createText(), createText(), createText()];
    const packed = PackedTexts.createFor(texts[0]!)!;
    texts.forEach((text, at) => packed.set([0, 1, 9][at]!, text));
    packed.set(0, null);
    expect([0, 1, 5, 10].map((slot) => [packed.get(slot), packed.equals(slot, null)])).toEqual([
      [null, true],
      [texts[1], false],
      [null, true],
      [null, true],
    ]);
    expect(packed.compare(9, 0)).toBeLessThan(0);
    expect(packed.compare(10, 9)).toBeGreaterThan(0);
    expect(packed.compare(10, 0)).toBe(0);
    expect(packed.createValueComparator(null)!(9)).toBeLessThan(0);
    expect(packed.createValueComparator(null)!(10)).toBe(0);
  });
});

test('a text whose digits stand for null is refused', () => {
  const last = randomUUID().replaceAll(/[\da-f]/gu, 'f');
  expect(PackedTexts.createFor(randomUUID())!.set(0, last)).toBe(false);
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
