/** A prepared statement keeps its plan while a table grows, so the plan of a look-up must be right for tables of any size. */
import { expect, test } from 'vitest';
import { defineStatement } from '../../../src/store/postgres/database.ts';
import { createThing } from '../fixtures.ts';
import { putRows } from '../transactions.ts';
import { openStoreAt, takeUrl } from './stores.ts';

/** In this range, indexes grow to more pages at different sizes of the table. */
const [MAX_ROWS, STEP] = [320, 8];

test.for([
  { title: 'before the server has gathered statistics', analyzed: 0, deleted: 0 },
  { title: 'after it has gathered those of two rows', analyzed: 2, deleted: 0 },
  { title: 'after it has gathered those of eight rows', analyzed: 8, deleted: 0 },
  // The primary key keeps more pages than the other indexes.
  { title: 'after it has gathered those of the two rows that are left of many', analyzed: 2, deleted: 2_000 },
])('a look-up by id uses the primary key: $title', async ({ analyzed, deleted }) => {
  const store = await openStoreAt(await takeUrl());
  const createRows = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => createThing(`0198f7a1-0000-7000-8000-${String(from + at).padStart(12, '0')}`));
  const look = defineStatement(`EXPLAIN SELECT "row" FROM stockroom.things_rows WHERE tenant = 'a' AND "id" = 'none'`);
  if (deleted > 0) {
    await putRows(store, createRows(MAX_ROWS, MAX_ROWS + deleted));
    await store.database.query(defineStatement('DELETE FROM stockroom.things_rows'), []);
  }
  if (analyzed > 0) {
    await putRows(store, createRows(0, analyzed));
    await store.database.query(defineStatement('ANALYZE stockroom.things_rows'), []);
  }
  const others: string[] = [];
  for (let rows = analyzed; rows < MAX_ROWS; rows += STEP) {
    const plan = (await store.database.query(look, [])).map(([line]) => String(line)).join('\n');
    if (!plan.includes('things_rows_pkey')) others.push(`${String(rows)} rows: ${plan}`);
    await putRows(store, createRows(rows, rows + STEP));
  }
  expect(others).toEqual([]);
});

test('the planner knows the rows of a table that has grown, without autovacuum', async () => {
  const store = await openStoreAt(await takeUrl());
  const readKnown = defineStatement(`SELECT reltuples FROM pg_class WHERE oid = 'stockroom.things_rows'::regclass`);
  const createRows = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => createThing(`0198f7a1-0000-7000-8000-${String(from + at).padStart(12, '0')}`));
  for (const [from, to] of [
    [0, 600],
    [600, 4_000],
  ] as const) {
    await putRows(store, createRows(from, to));
    await expect.poll(async () => (await store.database.query(readKnown, []))[0]).toEqual([to]);
  }
});
