/** Admin handler of items to reorder. */
import type { createReorders as createReordersOperation, stockReorderOperations } from '../../contract/admin/stock-reorder.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { isUuid } from '../../contract/schema/formats.ts';
import type { ContactRecord } from '../../domain/contacts/records.ts';
import { type Reorder, createReorders } from '../../domain/fulfilment/reorders.ts';
import type { ReadTable, Row as TableRow } from '../../domain/kernel/ports.ts';
import { getReferencedRows } from '../../domain/kernel/rows.ts';
import type { OrderWithLines } from '../../domain/orders/records.ts';
import { type ReorderAdvice } from '../../domain/stock/reorder-advice.ts';
import type { StockLevelRecord } from '../../domain/stock/records.ts';
import type { ReadTx } from '../../domain/tables.ts';
import type { SiteRecord } from '../../domain/tenancy/records.ts';
import { presentOrderLines } from '../order-lines.ts';
import { listReorderRows } from '../stock/reorder.ts';
import { withRollback } from '../dry-run.ts';
import { type AdminHandlers, readTenant, writeTenant } from './handler.ts';

export const stockReorderHandlers: AdminHandlers<typeof stockReorderOperations> = {
  async 'stock.reorder'(call) {
    const data = await readTenant(call, async (tx, { defaultSiteId }) => {
      const found = await listReorderRows(tx, defaultSiteId);
      const terms = await loadTerms(
        tx,
        found.map(({ reorder }) => reorder),
      );
      return found.map(({ reorder: { advice, level }, row }) => ({
        ...row,
        command: advice && toCommand(terms, advice, level, defaultSiteId),
      }));
    });
    return { data };
  },
  async 'stock.reorder.create'(call) {
    return withRollback<Ordered>((rollBack) =>
      writeTenant(call, async (tx, context) => {
        const created = await createReorders(tx, context, call.body.draft ? 'draft' : 'open');
        const data = (await Promise.all(created.map((order) => presentOrdered(tx, order, context.tenant.defaultSiteId)))).flat();
        return call.query.dry_run === true ? rollBack({ data }) : { data };
      }),
    );
  },
};

/** One row per line. The order has a site unless it is the default one. */
async function presentOrdered(tx: ReadTx, { order, lines }: OrderWithLines, defaultSiteId: string): Promise<OrderedRow[]> {
  const [contact, site, presented] = await Promise.all([
    tx.contacts.get(order.contactId),
    tx.sites.get(order.siteId ?? defaultSiteId),
    presentOrderLines(tx, order, lines),
  ]);
  const isBought = order.module === 'buy';
  // Lines of ingredients follow from the output.
  return presented
    .filter(({ kind }) => kind === (isBought ? 'item' : 'output'))
    .map(({ item, quantity, unit }) => ({
      orderId: order.id,
      orderNumber: order.orderNumber,
      module: isBought ? 'buy' : 'make',
      status: order.status === 'draft' ? 'draft' : 'open',
      supplier: isBought && contact ? { id: contact.id, name: contact.name } : null,
      site: { id: site?.id ?? '', name: site?.name ?? '' },
      item,
      quantity,
      unit,
      dueDate: order.dueDate,
    }));
}

type Ordered = ResultOf<typeof createReordersOperation>;
type OrderedRow = Ordered['data'][number];

/** A name that a shell and `--line` take as it is. */
const PLAIN_NAME = /^\w[\w.-]*$/u;
/** A name that every shell takes in single quotes, and no flag. */
const QUOTABLE_NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} .,:;&()+/_-]*$/u;
/** What the command line takes for a contact and for a site. By id. */
interface Terms {
  readonly contacts: ReadonlyMap<string, { readonly id: string; readonly name: string; readonly term: string }>;
  readonly sites: ReadonlyMap<string, string>;
}

/** Contacts by name and sites by code where no other record has it, else by id. */
async function loadTerms(tx: ReadTx, reorders: readonly Reorder[]): Promise<Terms> {
  const [contacts, sites] = await Promise.all([
    getReferencedRows(tx.contacts, reorders, ({ advice }) => advice?.supplierId),
    getReferencedRows(tx.sites, reorders, ({ level }) => level.siteId),
  ]);
  const [contactTerms, siteTerms] = await Promise.all([
    Promise.all(
      [...contacts.values()].map(
        async (contact) => [contact.id, { id: contact.id, name: contact.name, term: await getContactTerm(tx, contact) }] as const,
      ),
    ),
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
    ...(supplierId === null ? [] : [`--contact-id ${contacts.get(supplierId)?.term ?? supplierId}`]),
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
async function isNameUnique<R extends TableRow>(table: ReadTable<R>, fields: readonly string[], name: string): Promise<boolean> {
  const found = await Promise.all(
    fields.map((field) => table.listIdsAfter({ where: [{ field, from: name, to: name }], orderBy: field, limit: 2 })),
  );
  return new Set(found.flatMap(({ ids }) => ids)).size === 1;
}
