import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GAP, placed, windowStart } from './layout.ts';
import { TABS } from './model.ts';
import { tableOf } from './tables.ts';

const SEED = 20_261_121;

test('columns never take more than there is, and the most important ones stay', () => {
  fc.assert(
    fc.property(fc.constantFrom(...TABS), fc.integer({ min: 58, max: 400 }), (tab, total) => {
      const { columns } = tableOf(tab);
      const layout = placed(columns, total);
      expect(layout.reduce((sum, { width }) => sum + width, 0) + GAP * (layout.length - 1)).toBeLessThanOrEqual(total);
      for (const { column, width } of layout) expect(width).toBeGreaterThanOrEqual(column.width);
      const shown = layout.map(({ column }) => column);
      const worst = Math.max(...shown.map(({ rank }) => rank));
      for (const column of columns) if (column.rank < worst) expect(shown).toContain(column);
    }),
    { seed: SEED },
  );
});

test('the window keeps the selected row in sight and leaves no line empty without need', () => {
  fc.assert(
    fc.property(fc.nat(500), fc.integer({ min: 1, max: 60 }), fc.nat(500), (rows, height, wanted) => {
      const selected = rows === 0 ? -1 : wanted % rows;
      const start = windowStart(selected, rows, height);
      expect(start).toBeGreaterThanOrEqual(0);
      if (selected >= 0) expect(selected - start).toBeLessThan(height);
      expect(start).toBeLessThanOrEqual(Math.max(0, selected));
      expect(rows - start).toBeGreaterThanOrEqual(Math.min(rows, height));
    }),
    { seed: SEED },
  );
});
