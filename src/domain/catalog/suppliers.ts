/**
 * Supplier links: who supplies an item, on which terms. D-11.
 * If an item has links, exactly one of them is preferred, and its contact is the item's `supplierId`.
 */
import { SUPPLIERS_MAX_ROWS } from '../../contract/limits.ts';
import type { SupplierLinkDraft, SupplierLinkPatch } from '../../contract/resources/suppliers.ts';
import { diffFields } from '../events/changes.ts';
import { hasContactRole } from '../../contract/resources/contacts.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { StockroomError, duplicateValue, inactiveReference, invalidField, notFound } from '../kernel/errors.ts';
import { checkUnreferenced } from '../kernel/references.ts';
import { recordItemChange } from './item-events.ts';
import { getItem, touchItem } from './item-rows.ts';
import type { ItemRecord, SupplierTerms, SupplierLinkRecord } from './records.ts';
import { checkTerms, termFields } from './supplier-terms.ts';
import type { ReadTx, Tx } from '../tables.ts';

export const toSupplierLinkId = (itemId: string, supplierId: string): string => `${itemId}:${supplierId}`;

/** The links of an item, oldest first. */
export async function listSupplierLinks(tx: ReadTx, itemId: string): Promise<SupplierLinkRecord[]> {
  const where = [{ field: 'itemId', equals: itemId }];
  return (await tx.supplierLinks.listAfter({ where, orderBy: 'created_at', limit: SUPPLIERS_MAX_ROWS })).rows;
}

export async function getSupplierLink(tx: ReadTx, itemId: string, supplierId: string): Promise<SupplierLinkRecord> {
  const link = await tx.supplierLinks.get(toSupplierLinkId(itemId, supplierId));
  if (!link) throw notFound('supplier', `${supplierId} of this item`);
  return link;
}

export async function createSupplierLink(tx: Tx, context: Context, itemId: string, draft: SupplierLinkDraft): Promise<SupplierLinkRecord> {
  const before = await getItem(tx, itemId);
  const terms = termFields.merge(termFields.empty, draft);
  await checkTerms(tx, termFields.empty, terms);
  const links = await listSupplierLinks(tx, itemId);
  const existing = links.find((link) => link.supplierId === draft.supplierId);
  if (existing) throw duplicateValue('supplierId', draft.supplierId, existing.supplierId);
  await checkSupplier(tx, draft.supplierId);
  // The first link is preferred even if the body says isPreferred false, because one must be.
  const isPreferred = draft.isPreferred || links.length === 0;
  const item = await touchItem(tx, context, before, isPreferred ? { supplierId: draft.supplierId } : {});
  await clearOtherPreference(tx, context, item, links);
  return addLink(tx, context, item, links.length, draft.supplierId, terms, isPreferred);
}

export async function updateSupplierLink(
  tx: Tx,
  context: Context,
  itemId: string,
  supplierId: string,
  patch: SupplierLinkPatch,
): Promise<SupplierLinkRecord> {
  const before = await getSupplierLink(tx, itemId, supplierId);
  const terms = termFields.merge(before, patch);
  if (patch.isPreferred === false && before.isPreferred) {
    throw invalidField(
      '/isPreferred',
      'One supplier of an item is always preferred; set isPreferred to true for another one instead.',
      'not_allowed',
    );
  }
  const isPreferred = patch.isPreferred ?? before.isPreferred;
  const after: SupplierLinkRecord = { ...before, ...terms, isPreferred };
  if (Object.keys(listLinkChanges(before, after)).length === 0) return before;
  await checkTerms(tx, before, terms);
  const becomesPreferred = isPreferred && !before.isPreferred;
  if (becomesPreferred) await checkSupplier(tx, supplierId, '/isPreferred');
  const item = await touchItem(tx, context, await getItem(tx, itemId), becomesPreferred ? { supplierId } : {});
  if (becomesPreferred) await clearOtherPreference(tx, context, item, await listSupplierLinks(tx, itemId));
  return saveLink(tx, context, item, before, after);
}

export async function deleteSupplierLink(tx: Tx, context: Context, itemId: string, supplierId: string): Promise<void> {
  const before = await getItem(tx, itemId);
  const removed = await getSupplierLink(tx, itemId, supplierId);
  // If the preferred supplier is removed, the oldest other link becomes preferred.
  const successor = removed.isPreferred ? (await listSupplierLinks(tx, itemId)).find((each) => each.supplierId !== supplierId) : undefined;
  const item = await touchItem(tx, context, before, removed.isPreferred ? { supplierId: successor?.supplierId ?? null } : {});
  await removeLink(tx, context, item, removed);
  if (successor) await saveLink(tx, context, item, successor, { ...successor, isPreferred: true });
}

/** The contact must exist, be a supplier and be active. `path` is the field that names it. */
export async function checkSupplier(tx: ReadTx, supplierId: string, path = '/supplierId'): Promise<void> {
  const contact = await tx.contacts.get(supplierId);
  if (!contact) throw invalidField(path, `There is no contact ${supplierId}; give the id of a contact of type supplier or both.`);
  if (!hasContactRole(contact.contactType, 'supplier')) {
    throw invalidField(path, `Contact ${contact.name} is a ${contact.contactType}; a supplier must be of type supplier or both.`);
  }
  if (!contact.isActive) throw inactiveReference(`Contact ${contact.name}`, { contactId: supplierId }, path);
}

/**
 * Adapts the links of an item to its `supplierId`, which is already stored.
 * Null removes the preferred link and all other links without terms. It fails if a link with terms is left, which would have to become
 * the preferred one: a request neither removes terms nor sets a supplier that it does not name.
 */
export async function syncPreferredSupplier(
  tx: Tx,
  context: Context,
  item: ItemRecord,
  links: readonly SupplierLinkRecord[],
): Promise<void> {
  const { supplierId } = item;
  if (supplierId === null) {
    const linksWithTerms = links.filter((each) => !each.isPreferred && Object.keys(termFields.diff(termFields.empty, each)).length > 0);
    await checkUnreferenced(
      'item',
      { supplierLinks: { count: linksWithTerms.length } },
      'One of its suppliers must be preferred. Set another supplierId, or remove the links first.',
    );
    for (const each of links) await removeLink(tx, context, item, each);
    return;
  }
  await clearOtherPreference(tx, context, item, links);
  const existing = links.find((each) => each.supplierId === supplierId);
  if (existing) await saveLink(tx, context, item, existing, { ...existing, isPreferred: true });
  else await addLink(tx, context, item, links.length, supplierId, termFields.empty, true);
}

/** Removes the links of an item that is being deleted, and returns their number. */
export async function removeSupplierLinks(tx: Tx, itemId: string): Promise<number> {
  const links = await listSupplierLinks(tx, itemId);
  for (const { id } of links) await tx.supplierLinks.remove(id);
  return links.length;
}

const BATCH_ROWS = 500;

/** Removes the links to a contact that is being deleted. It must not be a preferred supplier. */
export async function removeLinksToContact(tx: Tx, context: Context, contactId: string): Promise<void> {
  const where = [{ field: 'supplierId', equals: contactId }];
  for (let more = true; more;) {
    const links = await tx.supplierLinks.listAfter({ where, limit: BATCH_ROWS });
    for (const link of links.rows) await removeLink(tx, context, await touchItem(tx, context, await getItem(tx, link.itemId)), link);
    more = links.more;
  }
}

async function addLink(
  tx: Tx,
  context: Context,
  item: ItemRecord,
  present: number,
  supplierId: string,
  terms: SupplierTerms,
  isPreferred: boolean,
): Promise<SupplierLinkRecord> {
  if (present >= SUPPLIERS_MAX_ROWS) {
    throw new StockroomError('LIMIT_REACHED', `An item has at most ${String(SUPPLIERS_MAX_ROWS)} suppliers. Remove one first.`, {
      details: { limit: SUPPLIERS_MAX_ROWS },
    });
  }
  const at = context.now.toISOString();
  const created = {
    id: toSupplierLinkId(item.id, supplierId),
    itemId: item.id,
    supplierId,
    ...terms,
    isPreferred,
    createdAt: at,
    updatedAt: at,
  };
  await tx.supplierLinks.put(created);
  await recordItemChange(tx, context, 'item.supplier.linked', item, ['suppliers'], { metadata: { supplierId } });
  return created;
}

/** Stores and records a changed link. `item` is already stored. */
export async function saveLink(
  tx: Tx,
  context: Context,
  item: ItemRecord,
  before: SupplierLinkRecord,
  after: SupplierLinkRecord,
): Promise<SupplierLinkRecord> {
  const changed = { ...after, updatedAt: getNextTimestamp(context.now, before.updatedAt) };
  await tx.supplierLinks.put(changed);
  const { supplierId } = before;
  await recordItemChange(tx, context, 'item.supplier.updated', item, ['suppliers'], {
    changes: listLinkChanges(before, after),
    metadata: { supplierId },
  });
  return changed;
}

async function removeLink(tx: Tx, context: Context, item: ItemRecord, link: SupplierLinkRecord): Promise<void> {
  await tx.supplierLinks.remove(link.id);
  await recordItemChange(tx, context, 'item.supplier.unlinked', item, ['suppliers'], { metadata: { supplierId: link.supplierId } });
}

/** Clears isPreferred of the preferred link, unless it is the link of the item's supplier. */
async function clearOtherPreference(tx: Tx, context: Context, item: ItemRecord, links: readonly SupplierLinkRecord[]): Promise<void> {
  const preferred = links.find((each) => each.isPreferred && each.supplierId !== item.supplierId);
  if (preferred) await saveLink(tx, context, item, preferred, { ...preferred, isPreferred: false });
}

const listLinkChanges = (before: SupplierLinkRecord, after: SupplierLinkRecord) => ({
  ...termFields.diff(before, after),
  ...diffFields(before, after, ['isPreferred']),
});
