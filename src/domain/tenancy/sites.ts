/** Sites: locations of stock. Exactly one site of a tenant is the default, and it is active. */
import type { SiteDraft, SitePatch } from '../../contract/admin/sites.ts';
import { CODE_MAX_CHARS } from '../../contract/limits.ts';
import { type Changes, diffFields, recordChange, toSettingEvent } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { StockroomError, duplicateValue, inactiveReference, invalidField, notFound } from '../kernel/errors.ts';
import { findFreeSlug, toSlug } from './slugs.ts';
import { DuplicateKey } from '../kernel/ports.ts';
import {
  checkUnreferenced,
  countReferences,
  getDocumentNumbers,
  getItemNames,
  getOrderNumbers,
  joinReferences,
  nameOwners,
} from '../kernel/references.ts';
import type { SiteRecord } from './records.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { setDefaultSite } from './tenants.ts';
import { requireText } from '../kernel/text.ts';

type SiteFields = Omit<SiteRecord, 'id' | 'createdAt' | 'updatedAt'>;
const FIELDS = ['name', 'code', 'address', 'isDefault', 'isActive'] as const satisfies readonly (keyof SiteFields)[];

export async function getSite(tx: ReadTx, id: string): Promise<SiteRecord> {
  const site = await tx.sites.get(id);
  if (!site) throw notFound('site', id);
  return site;
}

/** Throws 400 for `path` if the tenant has no such site, 409 if it is inactive. */
export async function checkSite(tx: ReadTx, id: string, path: string): Promise<void> {
  requireActiveSite(await tx.sites.get(id), id, path);
}

/** Checks the site that was read with this id. */
export function requireActiveSite(site: SiteRecord | undefined, id: string, path: string): void {
  if (!site) throw invalidField(path, `There is no site ${id}.`);
  if (!site.isActive) throw inactiveReference(`Site ${site.name}`, { siteId: id }, path);
}

export async function createSite(tx: Tx, context: Context, draft: SiteDraft): Promise<SiteRecord> {
  const at = context.now.toISOString();
  const code = draft.code ?? (await findFreeCode(tx, draft.name));
  const fields = mergeFields({ ...draft, code }, {});
  if (fields.isDefault) await unsetDefaultSite(tx, context);
  const site: SiteRecord = { id: context.newId(), ...fields, createdAt: at, updatedAt: at };
  await putSite(tx, site);
  await recordSiteChange(tx, context, 'site.created', site);
  if (fields.isDefault) await setDefaultSite(tx, context, site.id);
  return site;
}

export async function updateSite(tx: Tx, context: Context, id: string, patch: SitePatch): Promise<SiteRecord> {
  const before = await getSite(tx, id);
  const fields = mergeFields(before, patch);
  const changes = diffFields<SiteFields>(before, fields, FIELDS);
  if (Object.keys(changes).length === 0) return before;
  if (before.isDefault && !fields.isDefault) {
    throw invalidField('/isDefault', `${before.name} is the default site; set isDefault on another site instead.`, 'not_allowed');
  }
  const becomesDefault = fields.isDefault && !before.isDefault;
  if (becomesDefault) await unsetDefaultSite(tx, context);
  const site: SiteRecord = { ...before, ...fields, updatedAt: getNextTimestamp(context.now, before.updatedAt) };
  await putSite(tx, site);
  await recordSiteChange(tx, context, 'site.updated', site, changes);
  if (becomesDefault) await setDefaultSite(tx, context, site.id);
  return site;
}

export async function deleteSite(tx: Tx, context: Context, id: string): Promise<void> {
  const site = await getSite(tx, id);
  if (site.isDefault) {
    throw new StockroomError('RESOURCE_IN_USE', `${site.name} is the default site. Make another site the default first.`, {
      details: { references: { defaultSite: 1 } },
    });
  }
  await checkUnused(tx, id);
  // Without references, all of its levels are empty.
  const { rows } = await tx.stockLevels.listAfter({ where: [{ field: 'siteId', equals: id }], limit: Number.MAX_SAFE_INTEGER });
  for (const row of rows) await tx.stockLevels.remove(row.id);
  await tx.sites.remove(id);
  await recordSiteChange(tx, context, 'site.deleted', site, {}, { name: site.name, code: site.code });
}

async function checkUnused(tx: ReadTx, id: string): Promise<void> {
  const ofSite = [{ field: 'siteId', equals: id }];
  /** Orders without a site that left draft while this one was the default. */
  const ofDefaultSite = [
    { field: 'siteId', equals: null },
    { field: 'stockSiteId', equals: id },
  ];
  await checkUnreferenced(
    'site',
    {
      orders: joinReferences(
        await countReferences(tx.orders, ofSite, getOrderNumbers),
        await countReferences(tx.orders, ofDefaultSite, getOrderNumbers),
      ),
      orderLines: await countReferences(tx.orderLines, ofSite, nameOwners(tx).getOrders),
      stockDocuments: await countReferences(tx.stockDocuments, [{ field: 'siteIds', equals: id }], getDocumentNumbers),
      reorderPoints: await countReferences(tx.stockLevels, [...ofSite, { field: 'reorderPoint', from: 0 }], getItemNames),
    },
    'Deactivate it instead: set isActive to false.',
  );
}

/** Clears isDefault of the current default site, in the commit that sets another one. */
async function unsetDefaultSite(tx: Tx, context: Context): Promise<void> {
  const tenant = await tx.tenants.get(context.tenant.id);
  const current = await tx.sites.get(tenant?.defaultSiteId ?? '');
  if (!current) return;
  const site: SiteRecord = { ...current, isDefault: false, updatedAt: getNextTimestamp(context.now, current.updatedAt) };
  await tx.sites.put(site);
  await recordSiteChange(tx, context, 'site.updated', site, { isDefault: { from: true, to: false } });
}

function findFreeCode(tx: ReadTx, name: string): Promise<string> {
  const code = toSlug(name, CODE_MAX_CHARS, 'site').toUpperCase();
  return findFreeSlug(code, CODE_MAX_CHARS, async (candidate) => (await tx.sites.findUnique('code', candidate)) !== undefined);
}

function mergeFields(before: SiteFields, patch: SitePatch): SiteFields {
  const fields = {
    name: requireText(patch.name ?? before.name, '/name'),
    code: requireText(patch.code ?? before.code, '/code'),
    address: (patch.address ?? before.address).trim(),
    isDefault: patch.isDefault ?? before.isDefault,
    isActive: patch.isActive ?? before.isActive,
  };
  if (fields.isDefault && !fields.isActive) {
    throw invalidField('/isActive', 'The default site must be active; make another site the default first.', 'not_allowed');
  }
  return fields;
}

async function putSite(tx: Tx, site: SiteRecord): Promise<void> {
  try {
    await tx.sites.put(site);
  } catch (error) {
    throw error instanceof DuplicateKey ? duplicateValue('code', site.code, error.existingId) : error;
  }
}

const recordSiteChange = (
  tx: Tx,
  context: Context,
  action: 'site.created' | 'site.updated' | 'site.deleted',
  site: SiteRecord,
  changes: Changes = {},
  metadata = {},
): Promise<void> => {
  const event = toSettingEvent(context, action, site, changes, FIELDS);
  return recordChange(tx, context, { action, resourceType: 'site', resourceId: site.id, changes, metadata, event });
};
