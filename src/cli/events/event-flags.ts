/** Flags of the commands of events, and their columns. */
import { type ChangeEventEntry, listEvents } from '../../contract/resources/events.ts';
import { listStockLevels, type StockLevel } from '../../contract/resources/stock-levels.ts';
import type { Client } from '../../client/client.ts';
import type { LevelNames } from '../../client/level-names.ts';
import { readAllRows } from '../../client/lists/pages.ts';
import type { Output } from '../command-output.ts';
import { getView } from '../records/request.ts';
import type { View } from '../output/printer.ts';
import { queryFlags } from '../input/operation-flags.ts';

const { cursor, wait } = listEvents.query.properties;

const COLUMNS = ['sequence', 'occurredAt', 'event', 'data.changes', 'resourceId'];
const TABLE_COLUMNS = ['sequence', 'occurredAt', 'event', 'record', 'changes', 'resourceId'];
/** What people call a record, the first that an event has. */
const NAMES = ['orderNumber', 'documentNumber', 'sku', 'code', 'symbol', 'name', 'email'] as const;

/** The view of events: tables name their records. */
export const getEventView = (format: string, levels: LevelNames): View => ({
  ...getView(listEvents, format === 'table' ? TABLE_COLUMNS : COLUMNS),
  derived: {
    record: (row) => getRecordName(toData(row)) ?? levels.get((row as ChangeEventEntry).resourceId),
    changes: (row) => toData(row).changes.join(', ') || null,
  },
});

type Data = Readonly<Record<string, unknown>> & { readonly changes: readonly string[] };
const toData = (row: unknown): Data => (row as ChangeEventEntry).data as Data;

const getRecordName = (data: Data): string | null => NAMES.map((name) => data[name]).find((name) => typeof name === 'string') ?? null;

/** Reads the names of stock levels for a table that shows them. Without them it has the ids, as other columns do. */
export async function readLevelNames(
  client: Client,
  output: Pick<Output, 'format' | 'isPlainTable' | 'selectsColumn'>,
  levels: LevelNames,
  rows: readonly ChangeEventEntry[],
): Promise<void> {
  if (output.format !== 'table' || !(output.isPlainTable || output.selectsColumn('record'))) return;
  await levels.read(rows, (query) => readAllRows<StockLevel>(client, listStockLevels, { query })).catch(() => undefined);
}

/** Parameters without a flag, or with one after the filters. */
export const NOT_FILTERS = ['cursor', 'wait', 'limit'];
export const cursorFlags = queryFlags({ cursor });
export const positionFlags = queryFlags({ cursor, wait });
