/** Admin handlers of sites, units, item categories, users and reorder points. The public API has the same lists. */
import type { categoryOperations } from '../../contract/admin/categories.ts';
import type { stockSettingOperations } from '../../contract/admin/reorder-points.ts';
import type { siteOperations } from '../../contract/admin/sites.ts';
import type { unitOperations } from '../../contract/admin/units.ts';
import type { userOperations } from '../../contract/admin/users.ts';
import { createCategory, deleteCategory, getCategory, updateCategory } from '../../domain/catalog/categories.ts';
import { createUnit, deleteUnit, getUnit, updateUnit } from '../../domain/catalog/units.ts';
import { setReorderPoint } from '../../domain/stock/reorder-points.ts';
import { createSite, deleteSite, getSite, updateSite } from '../../domain/tenancy/sites.ts';
import { getUser, inviteUser, removeUser, updateUser } from '../../domain/tenancy/users.ts';
import { listCategories, listSites, listUnits, listUsers, presentCategory } from '../settings.ts';
import { presentLevels } from '../stock/stock-levels.ts';
import { type AdminHandlers, readTenant, writeTenant } from './handler.ts';

const siteHandlers: AdminHandlers<typeof siteOperations> = {
  'sites.list': (call) => readTenant(call, (tx) => listSites(tx, call.query)),
  'sites.get': async (call) => ({ data: await readTenant(call, (tx) => getSite(tx, call.params.site_id)) }),
  'sites.create': (call) => writeTenant(call, async (tx, context) => ({ data: await createSite(tx, context, call.body) })),
  'sites.update': (call) =>
    writeTenant(call, async (tx, context) => ({ data: await updateSite(tx, context, call.params.site_id, call.body) })),
  async 'sites.delete'(call) {
    await writeTenant(call, (tx, context) => deleteSite(tx, context, call.params.site_id));
  },
};

const unitHandlers: AdminHandlers<typeof unitOperations> = {
  'units.list': (call) => readTenant(call, (tx) => listUnits(tx, call.query)),
  'units.get': async (call) => ({ data: await readTenant(call, (tx) => getUnit(tx, call.params.unit_id)) }),
  'units.create': (call) => writeTenant(call, async (tx, context) => ({ data: await createUnit(tx, context, call.body) })),
  'units.update': (call) =>
    writeTenant(call, async (tx, context) => ({ data: await updateUnit(tx, context, call.params.unit_id, call.body) })),
  async 'units.delete'(call) {
    await writeTenant(call, (tx, context) => deleteUnit(tx, context, call.params.unit_id));
  },
};

const categoryHandlers: AdminHandlers<typeof categoryOperations> = {
  'categories.list': (call) => readTenant(call, (tx) => listCategories(tx, call.query)),
  'categories.get': async (call) => ({ data: presentCategory(await readTenant(call, (tx) => getCategory(tx, call.params.category_id))) }),
  'categories.create': (call) =>
    writeTenant(call, async (tx, context) => ({ data: presentCategory(await createCategory(tx, context, call.body)) })),
  'categories.update': (call) =>
    writeTenant(call, async (tx, context) => ({
      data: presentCategory(await updateCategory(tx, context, call.params.category_id, call.body)),
    })),
  async 'categories.delete'(call) {
    await writeTenant(call, (tx, context) => deleteCategory(tx, context, call.params.category_id));
  },
};

const userHandlers: AdminHandlers<typeof userOperations> = {
  'users.list': (call) => readTenant(call, (tx) => listUsers(tx, call.query)),
  'users.get': async (call) => ({ data: await readTenant(call, (tx) => getUser(tx, call.params.user_id)) }),
  'users.invite': (call) => writeTenant(call, async (tx, context) => ({ data: await inviteUser(tx, context, call.body) })),
  'users.update': (call) =>
    writeTenant(call, async (tx, context) => ({ data: await updateUser(tx, context, call.params.user_id, call.body) })),
  async 'users.remove'(call) {
    await writeTenant(call, (tx, context) => removeUser(tx, context, call.params.user_id));
  },
};

const reorderPointHandlers: AdminHandlers<typeof stockSettingOperations> = {
  'stock.reorder_point.set': (call) =>
    writeTenant(call, async (tx, context) => {
      const [level] = await presentLevels(tx, [await setReorderPoint(tx, context, call.body)]);
      return { data: level! };
    }),
};

export const settingHandlers = { ...siteHandlers, ...unitHandlers, ...categoryHandlers, ...userHandlers, ...reorderPointHandlers };
