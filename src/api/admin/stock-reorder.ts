/** Admin handler of items to reorder. */
import type { stockReorderOperations } from '../../contract/admin/stock-reorder.ts';
import { REORDER_MAX_ROWS } from '../../contract/limits.ts';
import { isUuid } from '../../contract/schema/formats.ts';
import { type ReorderAdvice, adviseReorders, listLevelsToReorder } from '../../domain/stock/reorder-advice.ts';
import type { ContactRecord } from '../../domain/contacts/records.ts';
import type { ReadTable, Row } from '../../domain/kernel/ports.ts';
import { getReferencedRows } from '../../domain/kernel/rows.ts';
import type { SiteRecord } from '../../domain/tenancy/records.ts';
import type { StockLevelRecord } from '../../domain/stock/records.ts';
import type { ReadTx } from '../../domain/tables.ts';
import { presentLevels } from '../stock-levels.ts';
import { type AdminHandlers, readTenant } from './handler.ts';

export const stockReorderHandlers: AdminHandlers<typeof stockReorderOperations> = {
  async 'stock.reorder'(call) {
    const data = await readTenant(call, async (tx, tenant) => {
      const levels = await listLevelsToReorder(tx, REORDER_MAX_ROWS);
      const [rows, advice] = await Promise.all([presentLevels(tx, levels), adviseReorders(tx, levels)]);
      const terms = await loadTerms(tx, levels, advice);
      return rows.map((row, index) => {
        const [level, advised = null] = [levels[index]!, advice[index]];
        return { ...row, command: advised && toCommand(terms, advised, level, tenant.defaultSiteId) };
      });
    });
    return { data };
  },
};

/** A name that a shell and `--line` take as it is. */
const PLAIN_NAME = /^\w[\w.-]*$/u;
/** A name that every shell takes in single quotes, and no flag. */
const QUOTABLE_NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} .,:;&()+/_-]*$/u;
/** What the command line takes for a contact and for a site. By id. */
interface Terms {
  readonly contacts: ReadonlyMap<string, string>;
  readonly sites: ReadonlyMap<string, string>;
}

/** Contacts by name and sites by code where no other record has it, else by id. */
async function loadTerms(tx: ReadTx, levels: readonly StockLevelRecord[], advice: readonly (ReorderAdvice | null)[]): Promise<Terms> {
  const [contacts, sites] = await Promise.all([
    getReferencedRows(tx.contacts, advice, (advised) => advised?.supplierId),
    getReferencedRows(tx.sites, levels, ({ siteId }) => siteId),
  ]);
  const [contactTerms, siteTerms] = await Promise.all([
    Promise.all([...contacts.values()].map(async (contact) => [contact.id, await getContactTerm(tx, contact)] as const)),
    Promise.all([...sites.values()].map(async (site) => [site.id, await getSiteTerm(tx, site)] as const)),
  ]);
  return { contacts: new Map(contactTerms), sites: new Map(siteTerms) };
}

function toCommand(
  { contacts, sites }: Terms,
  { module, supplierId, quantity }: ReorderAdvice,
  { itemId, sku, siteId }: StockLevelRecord,
  defaultSiteId: string,
): string {
  const item = sku !== null && PLAIN_NAME.test(sku) ? sku : itemId;
  return [
    `stockroom orders create --module ${module} --status open`,
    ...(supplierId === null ? [] : [`--contact-id ${contacts.get(supplierId) ?? supplierId}`]),
    ...(siteId === defaultSiteId ? [] : [`--site-id ${sites.get(siteId) ?? siteId}`]),
    `--line ${item}:${String(quantity)}`,
  ].join(' ');
}

async function getContactTerm(tx: ReadTx, { id, name }: ContactRecord): Promise<string> {
  // The command line takes a text of this form for an id.
  if (!QUOTABLE_NAME.test(name) || isUuid(name)) return id;
  // Fields that the command line compares with a name; see RECORD_KINDS.
  const isUnique = await isNameUnique(tx.contacts, ['name', 'email', 'company'], name);
  return isUnique ? (PLAIN_NAME.test(name) ? name : `'${name}'`) : id;
}

async function getSiteTerm(tx: ReadTx, { id, code }: SiteRecord): Promise<string> {
  return PLAIN_NAME.test(code) && !isUuid(code) && (await isNameUnique(tx.sites, ['code', 'name'], code)) ? code : id;
}

/** Whether one record has this name. `fields`: also the names of their sort orders, which ignore case. */
async function isNameUnique<R extends Row>(table: ReadTable<R>, fields: readonly string[], name: string): Promise<boolean> {
  const found = await Promise.all(
    fields.map((field) => table.listIdsAfter({ where: [{ field, from: name, to: name }], orderBy: field, limit: 2 })),
  );
  return new Set(found.flatMap(({ ids }) => ids)).size === 1;
}
