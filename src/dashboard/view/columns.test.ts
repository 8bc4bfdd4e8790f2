import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GAP, layoutColumns, getFirstVisible } from './columns.ts';
import { TABS } from '../state/model.ts';
import { getTable } from '../tables/index.ts';
import { checkProperty } from '../../../test/support/property.ts';

test('layoutColumns never exceeds the width and keeps the most important columns', async () => {
  await checkProperty(
    fc.property(fc.constantFrom(...TABS), fc.integer({ min: 58, max: 400 }), fc.nat(200), (tab, total, textWidth) => {
      const { columns } = getTable(tab);
      const layout = layoutColumns(columns, total, () => textWidth);
      expect(layout.reduce((sum, { width }) => sum + width, 0) + GAP * (layout.length - 1)).toBeLessThanOrEqual(total);
      for (const { column, width } of layout) expect(width).toBeGreaterThanOrEqual(column.width);
      // No text is truncated next to empty space.
      const isFull = layout.reduce((sum, { width }) => sum + width + GAP, -GAP) === total;
      if (!isFull) for (const { column, width } of layout) expect(width).toBeGreaterThanOrEqual(column.grow ?? textWidth);
      const shown = layout.map(({ column }) => column);
      const worst = Math.max(...shown.map(({ rank }) => rank));
      for (const column of columns) if (column.rank < worst) expect(shown).toContain(column);
    }),
    { shortRuns: 100 },
  );
});

test('a column is shown only where those of a lower rank can be comfortable', () => {
  const [record, state, more] = [
    { title: 'RECORD', width: 4, comfortable: 10, rank: 1, text: () => '' },
    { title: 'STATE', width: 5, rank: 1, text: () => '' },
    { title: 'MORE', width: 6, rank: 2, text: () => '' },
  ] as const;
  const getWidths = (total: number) => layoutColumns([record, state, more], total, () => 10).map(({ width }) => width);
  expect([10, 16, 22, 23].map(getWidths)).toEqual([
    [4, 5],
    [10, 5],
    [10, 10],
    [10, 5, 6],
  ]);
});

test('a number is as wide as its widest value, and columns of a higher rank are hidden instead', () => {
  const [name, onHand, site, unit] = [
    { title: 'NAME', width: 4, rank: 1, text: () => '' },
    { title: 'ON HAND', width: 7, rank: 2, right: true, text: () => '' },
    { title: 'SITE', width: 4, rank: 3, text: () => '' },
    { title: 'UNIT', width: 4, rank: 4, text: () => '' },
  ] as const;
  const layOut = (total: number) => layoutColumns([name, onHand, site, unit], total, () => 10).map(({ column }) => column.title);
  expect([14, 15, 19, 20, 25].map((total) => layOut(total).length)).toEqual([1, 2, 2, 3, 4]);
  for (const { column, width } of layoutColumns([name, onHand, site], 22, () => 10)) if (column.title === 'ON HAND') expect(width).toBe(10);
});

test('getFirstVisible keeps the selected row visible and avoids empty lines', async () => {
  await checkProperty(
    fc.property(fc.nat(500), fc.integer({ min: 1, max: 60 }), fc.nat(500), (rows, height, wanted) => {
      const selected = rows === 0 ? -1 : wanted % rows;
      const start = getFirstVisible(selected, rows, height);
      expect(start).toBeGreaterThanOrEqual(0);
      if (selected >= 0) expect(selected - start).toBeLessThan(height);
      expect(start).toBeLessThanOrEqual(Math.max(0, selected));
      expect(rows - start).toBeGreaterThanOrEqual(Math.min(rows, height));
    }),
    { shortRuns: 100 },
  );
});
