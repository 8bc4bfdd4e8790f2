import { expect, test } from 'vitest';
import { NOW, auditRow, busyState, withUpdates } from '../../../test/support/dashboard-states.ts';
import { type DataTab, TABS } from '../state/model.ts';
import { getTable } from '../tables/index.ts';
import { createRenderContext } from '../tables/table.ts';
import { layOutRows } from './columns.ts';
import { getSplitListWidth } from './layout.ts';

const audit = [auditRow(1, { action: 'stock_document.submitted', resourceType: 'stock_document', recordName: 'RC-000010' })];
const state = withUpdates(busyState(20), { audit });
const context = createRenderContext(state, NOW);
const layOut = (tab: DataTab, width: number, rows: readonly unknown[] = state.rows[tab]) =>
  new Map(layOutRows(getTable(tab).columns, rows as [], width, context).map(({ column, width: own }) => [column.title, own]));

const tabs = TABS.filter((tab) => tab !== 'overview');

test.each(tabs)('a list of %s beside details has at least the columns of a screen of 80', (tab) => {
  for (let columns = 136; columns <= 240; columns += 1) {
    const wide = [...layOut(tab, getSplitListWidth(columns)).keys()];
    expect([columns, wide]).toEqual([columns, expect.arrayContaining([...layOut(tab, 80).keys()])]);
  }
});

test.each([120, 140, 200])('details beside a list have room for a label and an id on a screen of %i columns', (columns) => {
  expect(columns - getSplitListWidth(columns)).toBeGreaterThanOrEqual(56);
});

test.each([60, 80, 120, 140])('the audit trail shows the action and the record uncut on a screen of %i columns', (columns) => {
  const layout = layOut('audit', columns < 120 ? columns : getSplitListWidth(columns), audit);
  expect([layout.get('ACTION'), layout.get('RESOURCE')]).toEqual(['stock_document.submitted'.length, 'stock_document RC-000010'.length]);
});
