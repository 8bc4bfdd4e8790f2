import { expect, test } from 'vitest';
import { Column } from '../rows/column.ts';
import { SearchIndex } from './search-index.ts';

const ROWS = 300;

function createIndex(): { index: SearchIndex; setName: (slot: number, name: string | null) => void } {
  const column = new Column();
  const index = new SearchIndex([column]);
  const setName = (slot: number, name: string | null): void => {
    column.set(slot, name);
    index.update(slot);
  };
  for (let slot = 0; slot < ROWS; slot++) setName(slot, `customer ${String(slot)}`);
  return { index, setName };
}

const build = (index: SearchIndex): void => index.build(ROWS, () => false);
const find = (index: SearchIndex, text: string): number[] | undefined =>
  index
    .find(text, ROWS)
    ?.find()
    .toSorted((a, b) => a - b);

test('a search index needs a rebuild after enough changes, so that few texts are checked in every search', () => {
  const { index, setName } = createIndex();
  build(index);
  let builds = 0;
  for (let turn = 0; turn < 20 * ROWS; turn++) {
    setName(turn % ROWS, turn % 3 === 0 ? null : `customer number ${String(turn)}`);
    setName(turn % ROWS, `customer again ${String(turn)}`);
    if (index.needsBuild(ROWS)) {
      build(index);
      expect(index.needsBuild(ROWS)).toBe(false);
      builds++;
    }
    expect(index.find('customer', ROWS)!.find().length).toBe(ROWS);
  }
  // A build adds every row, so it must not run after every few changes either.
  expect(builds).toBeGreaterThanOrEqual(10);
  expect(builds).toBeLessThanOrEqual(60);
});

test('rows that change while the index is built are found by their final texts, once each', () => {
  const { index, setName } = createIndex();
  let slices = 0;
  index.build(ROWS, () => slices++ > 2);
  expect(find(index, 'customer')).toBeUndefined();
  const changed = Array.from({ length: ROWS / 2 }, (_, at) => 2 * at);
  for (const slot of changed) setName(slot, `supplier ${String(slot)}`);
  build(index);
  expect(find(index, 'supplier')).toEqual(changed);
  expect(find(index, 'customer')).toEqual(changed.map((slot) => slot + 1));
});

test('a row that is added to a complete index is found by it', () => {
  const { index, setName } = createIndex();
  build(index);
  setName(ROWS, 'supplier');
  expect(index.needsBuild(ROWS + 1)).toBe(false);
  expect(index.find('supplier', ROWS + 1)!.find()).toEqual([ROWS]);
});
