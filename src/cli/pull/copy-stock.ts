/** Copies the stock on hand by posting adjustments of the differences, so that a second pull changes nothing. */
import type { Client } from '../../client/client.ts';
import { iteratePages } from '../../client/lists/pages.ts';
import { setReorderPoint } from '../../contract/admin/reorder-points.ts';
import { STOCK_LINES_MAX } from '../../contract/limits.ts';
import { type Item, listItems } from '../../contract/resources/items.ts';
import { approveStockDocument, createStockDocument, submitStockDocument } from '../../contract/resources/stock-documents.ts';
import { type StockLevel, listStockLevels } from '../../contract/resources/stock-levels.ts';
import { subtract } from '../output/numbers.ts';
import type { IdMap } from './id-map.ts';
import { type SourceReader, createSourceReader } from './source.ts';
import type { Ref, Settings } from './settings.ts';

const ALL_LEVELS = { query: { include_zero: true } };

/** Finds or creates the sites and units of the stock, before records that refer to them are copied. */
export async function copySettings(from: SourceReader, settings: Settings): Promise<void> {
  for await (const { rows } of from.iteratePages(listStockLevels, ALL_LEVELS)) {
    for (const row of rows) {
      await settings.findOrCreateSite(row['site'] as Ref | null);
      await settings.findOrCreateUnit(row['unit'] as Ref | null);
    }
  }
}

export interface CopyStockOptions {
  readonly from: SourceReader;
  readonly client: Client;
  readonly admin: Client;
  readonly tenant: string;
  readonly ids: IdMap;
  readonly settings: Settings;
}

/** Yields the remote and the local level of each item and site, with the local ids. */
async function* compareLevels({ from, client, ids, settings }: CopyStockOptions) {
  const localLevels = new Map<string, StockLevel>();
  // The rows of this operation are stock levels.
  for await (const { rows } of createSourceReader(client).iteratePages(listStockLevels, ALL_LEVELS))
    for (const row of rows as unknown as StockLevel[]) localLevels.set(`${row.itemId} ${row.siteId}`, row);
  for await (const { rows } of from.iteratePages(listStockLevels, ALL_LEVELS)) {
    for (const remote of rows as unknown as StockLevel[]) {
      if (remote.isVirtual === true) continue;
      const itemId = ids.get('items', remote.itemId)?.id;
      const siteId = await settings.findOrCreateSite(remote.site);
      if (itemId === undefined || siteId === null) continue;
      const key = `${itemId} ${siteId}`;
      yield { itemId, siteId, remote, local: localLevels.get(key) };
      localLevels.delete(key);
    }
  }
  // Levels that exist only here, posted by copied orders.
  for (const level of localLevels.values())
    if (level.onHand !== 0 && ids.getSourceId('items', level.itemId) !== undefined)
      yield { itemId: level.itemId, siteId: level.siteId, remote: { ...level, onHand: 0 }, local: level };
}

/** Adjusts the local stock. Returns the number of changed levels. */
export async function copyStock(options: CopyStockOptions): Promise<number> {
  const { client, admin, tenant } = options;
  const lines = new Map<string, { itemId: string; quantity: number; unitCost?: number }[]>();
  let changed = 0;
  for await (const { itemId, siteId, remote, local } of compareLevels(options)) {
    const quantity = subtract(remote.onHand, local?.onHand ?? 0);
    if (quantity !== 0) {
      const siteLines = lines.get(siteId) ?? [];
      lines.set(siteId, siteLines);
      siteLines.push({ itemId, quantity, ...(quantity > 0 && remote.averageCost !== null ? { unitCost: remote.averageCost } : {}) });
      changed += 1;
      if (siteLines.length === STOCK_LINES_MAX) await postAdjustment(client, siteId, siteLines.splice(0));
    }
    if (remote.reorderPoint !== (local?.reorderPoint ?? null))
      await admin.perform(setReorderPoint, { query: { tenant }, body: { itemId, siteId, reorderPoint: remote.reorderPoint } });
  }
  for (const [siteId, remaining] of lines) if (remaining.length > 0) await postAdjustment(client, siteId, remaining);
  return changed;
}

async function postAdjustment(client: Client, siteId: string, lines: readonly unknown[]): Promise<void> {
  const body = { type: 'adjustment', reason: 'opening', siteId, lines, notes: 'Copied by stockroom pull' };
  const { data } = (await client.perform(createStockDocument, { body })).body as { data: { id: string } };
  const parts = { params: { document_id: data.id }, body: {} };
  await client.perform(submitStockDocument, parts);
  await client.perform(approveStockDocument, parts);
}

/** Yields the levels with different quantities on hand, for `--diff`. */
export async function* listStockDifferences(parts: CopyStockOptions): AsyncGenerator<{ name: string; remote: number; local: number }> {
  for await (const { remote, local } of compareLevels(parts)) {
    const onHand = local?.onHand ?? 0;
    if (remote.onHand !== onHand) yield { name: `${remote.item.name} at ${remote.site.name}`, remote: remote.onHand, local: onHand };
  }
}

/** Maps the ids of local items to those of their units. */
export async function readLocalUnits(client: Client): Promise<Map<string, string>> {
  const units = new Map<string, string>();
  for await (const { data } of iteratePages(client, listItems, {}))
    for (const { id, unitId } of data as readonly Item[]) if (unitId !== null) units.set(id, unitId);
  return units;
}
