/** Admin handlers of item categories. */
import type { categoryOperations } from '../../contract/admin/categories.ts';
import { createCategory, deleteCategory, getCategory, updateCategory } from '../../domain/catalog/categories.ts';
import { listCategories, presentCategory } from '../settings.ts';
import { type AdminHandlers, readTenant, writeTenant } from './handler.ts';

export const categoryHandlers: AdminHandlers<typeof categoryOperations> = {
  'categories.list': async (call) => readTenant(call, (tx) => listCategories(tx, call.query)),
  'categories.get': async (call) => ({ data: presentCategory(await readTenant(call, (tx) => getCategory(tx, call.params.category_id))) }),
  'categories.create': async (call) =>
    writeTenant(call, async (tx, context) => ({ data: presentCategory(await createCategory(tx, context, call.body)) })),
  async 'categories.update'(call) {
    return writeTenant(call, async (tx, context) => ({
      data: presentCategory(await updateCategory(tx, context, call.params.category_id, call.body)),
    }));
  },
  async 'categories.delete'(call) {
    await writeTenant(call, (tx, context) => deleteCategory(tx, context, call.params.category_id));
  },
};
