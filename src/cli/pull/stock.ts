/** Stock: what there is on hand there is put on hand here, by adjustments of the difference, so that a second pull changes nothing. */
import type { Client } from '../../client/client.ts';
import { pagesOf } from '../../client/pages.ts';
import { setReorderPoint } from '../../contract/admin/stock.ts';
import { STOCK_LINES_MAX } from '../../contract/limits.ts';
import { approveStockDocument, createStockDocument, submitStockDocument } from '../../contract/stock-documents.ts';
import { type StockLevel, listStockLevels } from '../../contract/stock-levels.ts';
import type { IdMap } from './id-map.ts';
import { type Origin, originOf } from './origin.ts';
import type { Ref, Settings } from './settings.ts';

const EVERY_LEVEL = { query: { include_zero: true } };

/** Learns the sites and units that stock is kept in, before anything that refers to them is copied. */
export async function meetSettings(from: Origin, settings: Settings): Promise<void> {
  for await (const { rows } of from.pages(listStockLevels, EVERY_LEVEL)) {
    for (const row of rows) {
      await settings.site(row['site'] as Ref | null);
      await settings.meetUnit(row['unit'] as Ref | null);
    }
  }
}

export interface StockParts {
  readonly from: Origin;
  readonly client: Client;
  readonly admin: Client;
  readonly tenant: string;
  readonly ids: IdMap;
  readonly settings: Settings;
}

/** Levels that differ, as `[item here, site here]` with what is there and what is here. */
async function* differences({ from, client, ids, settings }: StockParts) {
  const here = new Map<string, StockLevel>();
  // An origin gives rows of any list; those of this operation are levels.
  for await (const { rows } of originOf(client).pages(listStockLevels, EVERY_LEVEL))
    for (const row of rows as unknown as StockLevel[]) here.set(`${row.itemId} ${row.siteId}`, row);
  for await (const { rows } of from.pages(listStockLevels, EVERY_LEVEL)) {
    for (const there of rows as unknown as StockLevel[]) {
      if (there.isVirtual === true) continue;
      const itemId = ids.get('items', there.itemId)?.id;
      const siteId = await settings.site(there.site);
      if (itemId === undefined || siteId === null) continue;
      const key = `${itemId} ${siteId}`;
      yield { itemId, siteId, there, here: here.get(key) };
      here.delete(key);
    }
  }
  // What copied orders posted where there is nothing there.
  for (const level of here.values())
    if (level.onHand !== 0 && ids.origin('items', level.itemId) !== undefined)
      yield { itemId: level.itemId, siteId: level.siteId, there: { ...level, onHand: 0 }, here: level };
}

/** Returns how many levels were changed. */
export async function copyStock(parts: StockParts): Promise<number> {
  const { client, admin, tenant } = parts;
  const lines = new Map<string, { itemId: string; quantity: number; unitCost?: number }[]>();
  let changed = 0;
  for await (const { itemId, siteId, there, here } of differences(parts)) {
    const quantity = rounded(there.onHand - (here?.onHand ?? 0));
    if (quantity !== 0) {
      const ofSite = lines.get(siteId) ?? [];
      lines.set(siteId, ofSite);
      ofSite.push({ itemId, quantity, ...(quantity > 0 && there.averageCost !== null ? { unitCost: there.averageCost } : {}) });
      changed += 1;
      if (ofSite.length === STOCK_LINES_MAX) await adjust(client, siteId, ofSite.splice(0));
    }
    if (there.reorderPoint !== (here?.reorderPoint ?? null))
      await admin.perform(setReorderPoint, { query: { tenant }, body: { itemId, siteId, reorderPoint: there.reorderPoint } });
  }
  for (const [siteId, rest] of lines) if (rest.length > 0) await adjust(client, siteId, rest);
  return changed;
}

const rounded = (quantity: number): number => Number(quantity.toFixed(6));

async function adjust(client: Client, siteId: string, lines: readonly unknown[]): Promise<void> {
  const body = { type: 'adjustment', reason: 'opening', siteId, lines, notes: 'Copied by stockroom pull' };
  const { data } = (await client.perform(createStockDocument, { body })).body as { data: { id: string } };
  const parts = { params: { document_id: data.id }, body: {} };
  await client.perform(submitStockDocument, parts);
  await client.perform(approveStockDocument, parts);
}

/** For `--diff`: levels with another quantity on hand. */
export async function* stockDifferences(parts: StockParts): AsyncGenerator<{ name: string; there: number; here: number }> {
  for await (const { there, here } of differences(parts)) {
    const onHand = here?.onHand ?? 0;
    if (there.onHand !== onHand) yield { name: `${there.item.name} at ${there.site.name}`, there: there.onHand, here: onHand };
  }
}

/** The unit of each item here, by its id. */
export async function unitsHere(client: Client, list: Parameters<typeof pagesOf>[1]): Promise<Map<string, string>> {
  const units = new Map<string, string>();
  for await (const { data } of pagesOf(client, list, {}))
    for (const { id, unitId } of data as readonly { id: string; unitId: string | null }[]) if (unitId !== null) units.set(id, unitId);
  return units;
}
