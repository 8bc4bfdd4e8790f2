import { expect, test } from 'vitest';
import { Column } from '../rows/column.ts';
import { SearchIndex } from './search-index.ts';

const ROWS = 300;

test('a search index needs a rebuild after enough changes, even of few rows, so that its size is bounded', () => {
  const column = new Column(false);
  for (let slot = 0; slot < ROWS; slot++) column.set(slot, `customer ${String(slot)}`);
  const index = new SearchIndex([column]);
  index.build(ROWS, () => false);
  const changes: Readonly<Record<string, (turn: number) => void>> = {
    'removed and inserted in turn': (turn) => {
      index.removeRow(7);
      column.set(7, `customer number ${String(turn)}`);
      index.updateRow(7, false);
    },
    'changed repeatedly': (turn) => {
      column.set(turn % 2, `customer again ${String(turn)}`);
      index.updateRow(turn % 2, false);
    },
  };
  for (const [how, change] of Object.entries(changes)) {
    let builds = 0;
    for (let turn = 0; turn < 20 * ROWS; turn++) {
      change(turn);
      if (index.needsBuild(ROWS)) {
        expect(
          index.build(ROWS, () => false),
          how,
        ).toBe(true);
        expect(index.needsBuild(ROWS), how).toBe(false);
        builds++;
      }
      expect(index.find('customer', ROWS)!.toArray().length, how).toBe(ROWS);
    }
    // A build adds every row, so it must not run after every few changes either.
    expect(builds, how).toBeGreaterThanOrEqual(10);
    expect(builds, how).toBeLessThanOrEqual(60);
  }
});

test('rows that change while the index is built are found by their final texts, once each', () => {
  const column = new Column(false);
  for (let slot = 0; slot < ROWS; slot++) column.set(slot, `customer ${String(slot)}`);
  const index = new SearchIndex([column]);
  expect(index.build(ROWS, () => true)).toBe(false);
  const changed = Array.from({ length: ROWS / 2 }, (_, at) => 2 * at);
  for (const slot of changed) {
    column.set(slot, `supplier ${String(slot)}`);
    index.updateRow(slot, false);
  }
  expect(index.build(ROWS, () => false)).toBe(true);
  const find = (text: string): number[] => [...index.find(text, ROWS)!.toArray()].toSorted((a, b) => a - b);
  expect(find('supplier')).toEqual(changed);
  expect(find('customer')).toEqual(changed.map((slot) => slot + 1));
});
