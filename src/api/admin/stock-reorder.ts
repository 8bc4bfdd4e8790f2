/** Admin handler of items to reorder. */
import type { stockReorderOperations } from '../../contract/admin/stock-reorder.ts';
import { REORDER_MAX_ROWS } from '../../contract/limits.ts';
import { isUuid } from '../../contract/schema/formats.ts';
import { type ReorderAdvice, adviseReorder, listLevelsToReorder } from '../../domain/stock/reorder-advice.ts';
import type { ReadTable, Row } from '../../domain/kernel/ports.ts';
import type { StockLevelRecord } from '../../domain/stock/records.ts';
import type { ReadTx } from '../../domain/tables.ts';
import { presentLevel } from '../stock-levels.ts';
import { type AdminHandlers, readTenant } from './handler.ts';

export const stockReorderHandlers: AdminHandlers<typeof stockReorderOperations> = {
  async 'stock.reorder'(call) {
    const data = await readTenant(call, async (tx, tenant) => {
      const levels = await listLevelsToReorder(tx, REORDER_MAX_ROWS);
      const rows = [];
      for (const level of levels) {
        const advice = await adviseReorder(tx, level);
        const row = await presentLevel(tx, level);
        rows.push({ ...row, command: advice && (await toCommand(tx, advice, level, tenant.defaultSiteId)) });
      }
      return rows;
    });
    return { data };
  },
};

/** A name that a shell and `--line` take as it is. */
const PLAIN_NAME = /^\w[\w.-]*$/u;
/** A name that every shell takes in single quotes, and no flag. */
const QUOTABLE_NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} .,:;&()+/_-]*$/u;
/** Contacts by name and sites by code where no other record has it, else by id. */
async function toCommand(
  tx: ReadTx,
  { module, supplierId, quantity }: ReorderAdvice,
  { itemId, sku, siteId }: StockLevelRecord,
  defaultSiteId: string,
): Promise<string> {
  const item = sku !== null && PLAIN_NAME.test(sku) ? sku : itemId;
  return [
    `stockroom orders create --module ${module} --status open`,
    ...(supplierId === null ? [] : [`--contact-id ${await getContactTerm(tx, supplierId)}`]),
    ...(siteId === defaultSiteId ? [] : [`--site-id ${await getSiteTerm(tx, siteId)}`]),
    `--line ${item}:${String(quantity)}`,
  ].join(' ');
}

async function getContactTerm(tx: ReadTx, id: string): Promise<string> {
  const name = (await tx.contacts.get(id))?.name ?? '';
  // The command line takes a text of this form for an id.
  if (!QUOTABLE_NAME.test(name) || isUuid(name)) return id;
  // Fields that the command line compares with a name; see RECORD_KINDS.
  const isUnique = await isNameUnique(tx.contacts, ['name', 'email', 'company'], name);
  return isUnique ? (PLAIN_NAME.test(name) ? name : `'${name}'`) : id;
}

async function getSiteTerm(tx: ReadTx, id: string): Promise<string> {
  const code = (await tx.sites.get(id))?.code ?? '';
  return PLAIN_NAME.test(code) && !isUuid(code) && (await isNameUnique(tx.sites, ['code', 'name'], code)) ? code : id;
}

/** Whether one record has this name. `fields`: also the names of their sort orders, which ignore case. */
async function isNameUnique<R extends Row>(table: ReadTable<R>, fields: readonly string[], name: string): Promise<boolean> {
  const ids = new Set<string>();
  for (const field of fields) {
    const found = await table.listIdsAfter({ where: [{ field, from: name, to: name }], orderBy: field, limit: 2 });
    for (const id of found.ids) ids.add(id);
  }
  return ids.size === 1;
}
