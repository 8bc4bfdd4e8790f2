import { hash, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Column } from './column.ts';
import { packAll } from '../values/packed-ids.ts';

const uuids = Array.from({ length: 5 }, () => randomUUID() as string);
const digests = Array.from({ length: 5 }, () => hash('sha256', randomUUID()));
const texts = ['one', 'two', 'three', 'four', 'five'];

/** An id column loaded from the blocks of a checkpoint, with packed ids where possible. */
function loadColumn(blocks: readonly (readonly string[])[], isPacked: boolean): Column {
  const column = new Column(true);
  column.expectSlots(blocks.flat().length);
  let first = 0;
  for (const ids of blocks) {
    const packed = isPacked ? packAll(ids) : undefined;
    if (packed) column.setPackedIds(first, packed.words, packed.width);
    else column.setLazy(first, ids.length, () => ids);
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

test.each([true, false])('ids of several forms are read from the blocks of one checkpoint in any order (packed: %s)', (isPacked) => {
  for (const blocks of MIXED) {
    const ids = blocks.flat();
    const column = loadColumn(blocks, isPacked);
    expect(ids.map((_, slot) => column.get(slot))).toEqual(ids);
    expect(ids.every((id, slot) => column.hasId(slot, id))).toBe(true);
    const changed = loadColumn(blocks, isPacked);
    changed.set(1, 'changed');
    changed.set(ids.length, uuids[0]!);
    expect([...ids, ''].map((_, slot) => changed.get(slot))).toEqual([ids[0], 'changed', ...ids.slice(2), uuids[0]]);
  }
});
