/** Sites: places where stock is kept. Exactly one of a tenant's is the default, and it is active. */
import type { SiteDraft, SitePatch } from '../contract/admin/sites.ts';
import { CODE_MAX_CHARS } from '../contract/limits.ts';
import { type Changes, differences, note } from './changes.ts';
import { type Context, nextTimestamp } from './context.ts';
import { StockroomError, duplicateValue, invalidField, notFound, resourceInUse } from './errors.ts';
import { firstFree, slugOf } from './made-names.ts';
import { DuplicateKey } from './ports.ts';
import type { SiteRecord } from './settings.ts';
import type { ReadTx, Tx } from './tables.ts';
import { setDefaultSite } from './tenants.ts';
import { requiredText } from './text.ts';

type SiteFields = Omit<SiteRecord, 'id' | 'createdAt' | 'updatedAt'>;
const FIELDS = ['name', 'code', 'address', 'isDefault', 'isActive'] as const satisfies readonly (keyof SiteFields)[];

export async function getSite(tx: ReadTx, id: string): Promise<SiteRecord> {
  const site = await tx.sites.get(id);
  if (!site) throw notFound('site', id);
  return site;
}

export async function createSite(tx: Tx, context: Context, draft: SiteDraft): Promise<SiteRecord> {
  const at = context.now.toISOString();
  const code = draft.code ?? (await freeCode(tx, draft.name));
  const fields = merge({ ...draft, code }, {});
  if (fields.isDefault) await takeOver(tx, context);
  const site: SiteRecord = { id: context.newId(), ...fields, createdAt: at, updatedAt: at };
  await putSite(tx, site);
  await noteSite(tx, context, 'site.created', site);
  if (fields.isDefault) await setDefaultSite(tx, context, site.id);
  return site;
}

export async function updateSite(tx: Tx, context: Context, id: string, patch: SitePatch): Promise<SiteRecord> {
  const before = await getSite(tx, id);
  const fields = merge(before, patch);
  const changes = differences<SiteFields>(before, fields, FIELDS);
  if (Object.keys(changes).length === 0) return before;
  if (before.isDefault && !fields.isDefault) {
    throw invalidField('/isDefault', `${before.name} is the default site; set isDefault on the site that shall take over.`, 'not_allowed');
  }
  const becomesDefault = fields.isDefault && !before.isDefault;
  if (becomesDefault) await takeOver(tx, context);
  const site: SiteRecord = { ...before, ...fields, updatedAt: nextTimestamp(context.now, before.updatedAt) };
  await putSite(tx, site);
  await noteSite(tx, context, 'site.updated', site, changes);
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
  const references = {
    orders:
      (await tx.orders.count({ where: [{ field: 'siteId', equals: id }] })) +
      // Orders that name no site and left draft while this one was the default.
      (await tx.orders.count({
        where: [
          { field: 'siteId', equals: null },
          { field: 'stockSiteId', equals: id },
        ],
      })),
    orderLines: await tx.orderLines.count({ where: [{ field: 'siteId', equals: id }] }),
    stockDocuments: await tx.stockDocuments.count({ where: [{ field: 'siteIds', equals: id }] }),
    reorderPoints: await tx.stockLevels.count({
      where: [
        { field: 'siteId', equals: id },
        { field: 'reorderPoint', from: 0 },
      ],
    }),
  };
  if (Object.values(references).some((count) => count > 0)) throw resourceInUse('site', references, 'Set isActive to false instead.');
  // What nothing refers to has levels of nothing only.
  const { rows } = await tx.stockLevels.after({ where: [{ field: 'siteId', equals: id }], limit: Number.MAX_SAFE_INTEGER });
  for (const row of rows) await tx.stockLevels.remove(row.id);
  await tx.sites.remove(id);
  await noteSite(tx, context, 'site.deleted', site, {}, { name: site.name, code: site.code });
}

/** The present default site steps back, in the same commit in which another one comes. */
async function takeOver(tx: Tx, context: Context): Promise<void> {
  const tenant = await tx.tenants.get(context.tenant.id);
  const present = await tx.sites.get(tenant?.defaultSiteId ?? '');
  if (!present) return;
  await tx.sites.put({ ...present, isDefault: false, updatedAt: nextTimestamp(context.now, present.updatedAt) });
  await noteSite(tx, context, 'site.updated', present, { isDefault: { from: true, to: false } });
}

function freeCode(tx: ReadTx, name: string): Promise<string> {
  const code = slugOf(name, CODE_MAX_CHARS, 'site').toUpperCase();
  return firstFree(code, CODE_MAX_CHARS, async (candidate) => (await tx.sites.find('code', candidate)) !== undefined);
}

function merge(before: SiteFields, patch: SitePatch): SiteFields {
  const fields = {
    name: requiredText(patch.name ?? before.name, '/name'),
    code: requiredText(patch.code ?? before.code, '/code'),
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

const noteSite = (tx: Tx, context: Context, action: string, site: SiteRecord, changes: Changes = {}, metadata = {}): Promise<void> =>
  note(tx, context, { action, resourceType: 'site', resourceId: site.id, changes, metadata });
