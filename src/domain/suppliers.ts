/**
 * Supplier links: from whom an item is bought, and how. D-11.
 * While an item has links, exactly one of them is preferred, and its contact is the item's `supplierId`.
 */
import { SUPPLIERS_MAX_ROWS } from '../contract/limits.ts';
import type { SupplierLinkDraft, SupplierLinkPatch } from '../contract/suppliers.ts';
import { differences } from './changes.ts';
import { canSupply } from './contact-use.ts';
import { type Context, nextTimestamp } from './context.ts';
import { StockroomError, duplicateValue, invalidField, notFound, resourceInUse } from './errors.ts';
import { getItem, noteItem, touchItem } from './item-notes.ts';
import type { ItemRecord } from './items.ts';
import { NO_TERMS, type SupplierTerms, checkTerms, mergeTerms, termChanges } from './supplier-terms.ts';
import type { ReadTx, Tx } from './tables.ts';

export interface SupplierLinkRecord extends SupplierTerms {
  /** `supplierLinkId(itemId, supplierId)`. */
  readonly id: string;
  readonly itemId: string;
  /** The contact. */
  readonly supplierId: string;
  /** Exactly one of an item's links, equal to the item's supplierId. */
  readonly isPreferred: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const supplierLinkId = (itemId: string, supplierId: string): string => `${itemId}:${supplierId}`;

/** The links of an item, the oldest first. */
export async function linksOf(tx: ReadTx, itemId: string): Promise<SupplierLinkRecord[]> {
  const where = [{ field: 'itemId', equals: itemId }];
  return (await tx.supplierLinks.after({ where, orderBy: 'created_at', limit: SUPPLIERS_MAX_ROWS })).rows;
}

export async function getLink(tx: ReadTx, itemId: string, supplierId: string): Promise<SupplierLinkRecord> {
  const link = await tx.supplierLinks.get(supplierLinkId(itemId, supplierId));
  if (!link) throw notFound('supplier of this item', supplierId);
  return link;
}

export async function createSupplier(tx: Tx, context: Context, itemId: string, draft: SupplierLinkDraft): Promise<SupplierLinkRecord> {
  const before = await getItem(tx, itemId);
  const terms = mergeTerms(NO_TERMS, draft);
  await checkTerms(tx, NO_TERMS, terms);
  const links = await linksOf(tx, itemId);
  const existing = links.find((link) => link.supplierId === draft.supplierId);
  if (existing) throw duplicateValue('supplierId', draft.supplierId, existing.supplierId);
  await checkSupplier(tx, draft.supplierId);
  // ours: the first link is preferred even when the body says isPreferred false, because one has to be.
  const isPreferred = draft.isPreferred || links.length === 0;
  const item = await touchItem(tx, context, before, isPreferred ? { supplierId: draft.supplierId } : {});
  if (isPreferred) await demote(tx, context, item, links);
  return addLink(tx, context, item, links.length, draft.supplierId, terms, isPreferred);
}

export async function updateSupplier(
  tx: Tx,
  context: Context,
  itemId: string,
  supplierId: string,
  patch: SupplierLinkPatch,
): Promise<SupplierLinkRecord> {
  const before = await getLink(tx, itemId, supplierId);
  const terms = mergeTerms(before, patch);
  if (patch.isPreferred === false && before.isPreferred) {
    throw invalidField(
      '/isPreferred',
      'One supplier of an item is always preferred; set isPreferred to true on another one instead.',
      'not_allowed',
    );
  }
  const isPreferred = patch.isPreferred ?? before.isPreferred;
  const after: SupplierLinkRecord = { ...before, ...terms, isPreferred };
  if (Object.keys(changesOf(before, after)).length === 0) return before;
  await checkTerms(tx, before, terms);
  const moved = isPreferred && !before.isPreferred;
  if (moved) await checkSupplier(tx, supplierId, '/isPreferred');
  const item = await touchItem(tx, context, await getItem(tx, itemId), moved ? { supplierId } : {});
  if (moved) await demote(tx, context, item, await linksOf(tx, itemId));
  return changeLink(tx, context, item, before, after);
}

export async function deleteSupplier(tx: Tx, context: Context, itemId: string, supplierId: string): Promise<void> {
  const before = await getItem(tx, itemId);
  const gone = await getLink(tx, itemId, supplierId);
  // ours: when the preferred supplier goes, the one that was linked the longest takes its place.
  const heir = gone.isPreferred ? (await linksOf(tx, itemId)).find((each) => each.supplierId !== supplierId) : undefined;
  const item = await touchItem(tx, context, before, gone.isPreferred ? { supplierId: heir?.supplierId ?? null } : {});
  await removeLink(tx, context, item, gone);
  if (heir) await changeLink(tx, context, item, heir, { ...heir, isPreferred: true });
}

/** Refuses a supplier that cannot be one; `path` names the field that asked for it. */
export async function checkSupplier(tx: ReadTx, supplierId: string, path = '/supplierId'): Promise<void> {
  const contact = await tx.contacts.get(supplierId);
  if (!contact) throw invalidField(path, `There is no contact ${supplierId}; give the id of a contact of type supplier or both.`);
  if (!canSupply(contact.contactType)) {
    throw invalidField(path, `Contact ${contact.name} is a ${contact.contactType}; a supplier must be of type supplier or both.`);
  }
  if (!contact.isActive)
    throw new StockroomError('INACTIVE_REFERENCE', `Contact ${contact.name} is inactive; activate it or choose another supplier.`);
}

/**
 * Makes the links follow the `supplierId` that `item` has got; `item` is stored already.
 * ours: null takes away the preferred link, and the others that say nothing but the supplier. One that has terms of its own would
 * have to become the preferred one, so it forbids null: nobody loses terms, or gets a supplier, that the request does not name.
 */
export async function preferSupplier(tx: Tx, context: Context, item: ItemRecord): Promise<void> {
  const links = await linksOf(tx, item.id);
  const { supplierId } = item;
  if (supplierId === null) {
    const kept = links.filter((each) => !each.isPreferred && Object.keys(termChanges(NO_TERMS, each)).length > 0);
    if (kept.length > 0) {
      throw resourceInUse(
        'item',
        { supplierLinks: kept.length },
        'One of its suppliers has to be preferred: name another, or remove the links first.',
      );
    }
    for (const each of links) await removeLink(tx, context, item, each);
    return;
  }
  await demote(tx, context, item, links);
  const existing = links.find((each) => each.supplierId === supplierId);
  if (existing) await changeLink(tx, context, item, existing, { ...existing, isPreferred: true });
  else await addLink(tx, context, item, links.length, supplierId, NO_TERMS, true);
}

/** Removes the links of an item that is being deleted; returns how many there were. */
export async function removeLinks(tx: Tx, itemId: string): Promise<number> {
  const links = await linksOf(tx, itemId);
  for (const { id } of links) await tx.supplierLinks.remove(id);
  return links.length;
}

const BATCH = 500;

/** Removes the links to a contact that is being deleted; it is the preferred supplier of none of the items. */
export async function unlinkContact(tx: Tx, context: Context, contactId: string): Promise<void> {
  const where = [{ field: 'supplierId', equals: contactId }];
  for (let more = true; more;) {
    const links = await tx.supplierLinks.after({ where, limit: BATCH });
    for (const gone of links.rows) await removeLink(tx, context, await touchItem(tx, context, await getItem(tx, gone.itemId)), gone);
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
    throw new StockroomError('LIMIT_REACHED', `An item has at most ${String(SUPPLIERS_MAX_ROWS)} suppliers; remove one first.`, {
      details: { limit: SUPPLIERS_MAX_ROWS },
    });
  }
  const at = context.now.toISOString();
  const created = {
    id: supplierLinkId(item.id, supplierId),
    itemId: item.id,
    supplierId,
    ...terms,
    isPreferred,
    createdAt: at,
    updatedAt: at,
  };
  await tx.supplierLinks.put(created);
  await noteItem(tx, context, 'item.supplier.linked', item, ['suppliers'], { metadata: { supplierId } });
  return created;
}

/** Stores and notes a changed link; `item` is stored already. */
export async function changeLink(
  tx: Tx,
  context: Context,
  item: ItemRecord,
  before: SupplierLinkRecord,
  after: SupplierLinkRecord,
): Promise<SupplierLinkRecord> {
  const changed = { ...after, updatedAt: nextTimestamp(context.now, before.updatedAt) };
  await tx.supplierLinks.put(changed);
  const { supplierId } = before;
  await noteItem(tx, context, 'item.supplier.updated', item, ['suppliers'], {
    changes: changesOf(before, after),
    metadata: { supplierId },
  });
  return changed;
}

async function removeLink(tx: Tx, context: Context, item: ItemRecord, gone: SupplierLinkRecord): Promise<void> {
  await tx.supplierLinks.remove(gone.id);
  await noteItem(tx, context, 'item.supplier.unlinked', item, ['suppliers'], { metadata: { supplierId: gone.supplierId } });
}

/** Takes the preference from the link that has it, unless it is that of the item's supplier already. */
async function demote(tx: Tx, context: Context, item: ItemRecord, links: readonly SupplierLinkRecord[]): Promise<void> {
  const preferred = links.find((each) => each.isPreferred && each.supplierId !== item.supplierId);
  if (preferred) await changeLink(tx, context, item, preferred, { ...preferred, isPreferred: false });
}

const changesOf = (before: SupplierLinkRecord, after: SupplierLinkRecord) => ({
  ...termChanges(before, after),
  ...differences(before, after, ['isPreferred']),
});
