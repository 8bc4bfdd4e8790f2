import { hash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { compareValues, type Key } from '../../compare.ts';
import { Column } from './column.ts';

const createInstant = (at: number): string => new Date(1.7e12 + at * 1000).toISOString();
/** Each differs from the one before only near its end. */
function createNeighbors(first: string): string[] {
  const texts = [first];
  while (texts.length < 400) texts.push(texts.at(-1)!.replace(/..(?=.$)/u, (texts.length % 256).toString(16).padStart(2, '0')));
  return texts;
}
/** More keys than codes, so that each kind of column stores them in its own way. */
const KINDS: Readonly<Record<string, readonly Key[]>> = {
  codes: ['a', 'b', null, 1, true, 'c'],
  instants: [null, ...Array.from({ length: 400 }, (_, at) => createInstant(at))],
  uuids: [null, ...Array.from({ length: 400 }, () => randomUUID() as string)],
  digests: Array.from({ length: 400 }, () => hash('sha256', randomUUID())),
  'neighboring uuids, with nulls between': createNeighbors(randomUUID()).flatMap((text, at) => (at % 3 === 0 ? [null, text] : [text])),
  'neighboring digests': createNeighbors(hash('sha256', randomUUID())),
  'hexadecimal digits, and some that stand for null when they are packed': [
    ...Array.from({ length: 400 }, (_, at) => at.toString(16).padStart(8, '0')),
    'f'.repeat(8),
  ],
  'pairs of uuids': Array.from({ length: 400 }, () => `${randomUUID()}:${randomUUID()}`),
  texts: [null, ...Array.from({ length: 400 }, (_, at) => `text ${String(at)}`)],
  numbers: Array.from({ length: 400 }, (_, at) => at * 1.5 - 20),
  arrays: [['a', 'b'], null, ['b'], []],
  mixed: [...Array.from({ length: 300 }, (_, at) => createInstant(at)), randomUUID(), 'text', 7, null, ['x'], false],
};

describe.each(Object.entries(KINDS))('a column of %s', (_, keys) => {
  const fill = (): Column => {
    const column = new Column();
    keys.forEach((key, slot) => column.set(slot, key));
    return column;
  };

  test('returns, finds, matches and orders its keys', () => {
    const column = fill();
    const some = [0, 1, 2, 3, keys.length - 2, keys.length - 1];
    for (const [slot, key] of keys.entries()) {
      expect(column.get(slot)).toEqual(key);
      expect(column.hasKey(slot, key)).toBe(true);
      for (const other of some) {
        expect(Math.sign(column.compare(slot, other))).toBe(Math.sign(compareValues(key, keys[other]!)));
        expect(column.hasKey(slot, keys[other]!)).toBe(JSON.stringify(key) === JSON.stringify(keys[other]));
      }
    }
    for (const value of some.map((slot) => keys[slot]!)) {
      if (typeof value === 'object' && value !== null) continue;
      const compare = column.createValueComparator(value);
      const matches = [column.createMatcher([value]), column.createMatcher([value, 'none'])];
      for (const [slot, key] of keys.entries()) {
        expect(Math.sign(compare(slot))).toBe(Math.sign(compareValues(key, value)));
        expect(matches.map((match) => match(slot))).toEqual([key === value, key === value]);
      }
    }
  });

  test('keeps its keys when one of another kind follows, and after changes', () => {
    const column = fill();
    column.set(keys.length, 'another kind');
    column.set(1, 12.5);
    column.set(2, null);
    const expected = [keys[0], 12.5, null, ...keys.slice(3), 'another kind', null];
    expect(expected.map((__, slot) => column.get(slot))).toEqual(expected);
  });
});

test('a running store packs what it stores', () => {
  const used = process.memoryUsage().arrayBuffers;
  const column = new Column();
  const ids = Array.from({ length: 20_000 }, () => randomUUID());
  ids.forEach((id, slot) => column.set(slot, id));
  // Typed arrays, not strings.
  expect(process.memoryUsage().arrayBuffers - used).toBeGreaterThan(ids.length * 16);
  expect(ids.map((_, slot) => column.get(slot))).toEqual(ids);
});
