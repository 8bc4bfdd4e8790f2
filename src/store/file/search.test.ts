import { expect, test } from 'vitest';
import { Column } from './column.ts';
import { SearchIndex } from './search.ts';

const ROWS = 300;

test('the index is due again after enough changes, however few rows they were made to, so it does not grow without limit', () => {
  const column = new Column(false);
  for (let slot = 0; slot < ROWS; slot++) column.set(slot, `customer ${String(slot)}`);
  const index = new SearchIndex([column]);
  index.build(ROWS, () => false);
  const changes: Readonly<Record<string, (turn: number) => void>> = {
    'made and deleted in turn': (turn) => {
      index.removed(7);
      column.set(7, `customer number ${String(turn)}`);
      index.changed(7, false);
    },
    'given another text again and again': (turn) => {
      column.set(turn % 2, `customer again ${String(turn)}`);
      index.changed(turn % 2, false);
    },
  };
  for (const [how, change] of Object.entries(changes)) {
    let builds = 0;
    for (let turn = 0; turn < 20 * ROWS; turn++) {
      change(turn);
      if (index.wants(ROWS)) {
        expect(
          index.build(ROWS, () => false),
          how,
        ).toBe(true);
        expect(index.wants(ROWS), how).toBe(false);
        builds++;
      }
      expect(index.find('customer', ROWS)!.all().length, how).toBe(ROWS);
    }
    // Building takes as long as adding every row, so it must not come with every few changes either.
    expect(builds, how).toBeGreaterThanOrEqual(10);
    expect(builds, how).toBeLessThanOrEqual(60);
  }
});
