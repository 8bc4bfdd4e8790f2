import { hash, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Column } from './column.ts';
import { packAll } from './packed-ids.ts';

const uuids = Array.from({ length: 5 }, () => randomUUID() as string);
const digests = Array.from({ length: 5 }, () => hash('sha256', randomUUID()));
const texts = ['one', 'two', 'three', 'four', 'five'];

/** A column that a checkpoint fills block by block, its ids as numbers where that is how they were written. */
function loaded(blocks: readonly (readonly string[])[], asNumbers: boolean): Column {
  const column = new Column(true);
  column.expect(blocks.flat().length);
  let first = 0;
  for (const ids of blocks) {
    const packed = asNumbers ? packAll(ids) : undefined;
    if (packed) column.setIds(first, packed.words, packed.width);
    else column.setLater(first, ids.length, () => ids);
    first += ids.length;
  }
  return column;
}

const MIXED = [
  [uuids, texts],
  [texts, uuids],
  [uuids, digests],
  [digests, texts, uuids],
  [uuids, [...uuids.slice(0, 2), 'x'], digests],
];

test.each([true, false])(
  'ids of several forms come back from the blocks of one checkpoint, in whatever order (as numbers: %s)',
  (asNumbers) => {
    for (const blocks of MIXED) {
      const ids = blocks.flat();
      const column = loaded(blocks, asNumbers);
      expect(ids.map((_, slot) => column.get(slot))).toEqual(ids);
      expect(ids.every((id, slot) => column.isId(slot, id))).toBe(true);
      const changed = loaded(blocks, asNumbers);
      changed.set(1, 'changed');
      changed.set(ids.length, uuids[0]!);
      expect([...ids, ''].map((_, slot) => changed.get(slot))).toEqual([ids[0], 'changed', ...ids.slice(2), uuids[0]]);
    }
  },
);
