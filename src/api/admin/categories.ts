/** Admin handlers of item categories. */
import type { Category, categoryOperations } from '../../contract/admin/categories.ts';
import { createCategory, deleteCategory, getCategory, updateCategory } from '../../domain/catalog/categories.ts';
import type { CategoryRecord } from '../../domain/catalog/records.ts';
import { whereEquals, toPageQuery, toPagination } from '../pagination.ts';
import { type AdminHandlers, changeTenant, readTenant, writeTenant } from './handler.ts';

export const categoryHandlers: AdminHandlers<typeof categoryOperations> = {
  async 'categories.list'(call) {
    const { query } = call;
    const where = [whereEquals('isActive', query.is_active), whereEquals('parentId', query.parent_id)];
    const { rows, total } = await readTenant(call, (tx) => tx.categories.listPage(toPageQuery(query, where)));
    return { data: rows.map(presentCategory), pagination: toPagination(query, total) };
  },
  async 'categories.get'(call) {
    return { data: presentCategory(await readTenant(call, (tx) => getCategory(tx, call.params.category_id))) };
  },
  async 'categories.create'(call) {
    return writeTenant(call, async (tx, context) => ({ data: presentCategory(await createCategory(tx, context, call.body)) }));
  },
  async 'categories.update'(call) {
    return writeTenant(call, async (tx, context) => ({
      data: presentCategory(await updateCategory(tx, context, call.params.category_id, call.body)),
    }));
  },
  async 'categories.delete'(call) {
    await changeTenant(call, (tx, context) => deleteCategory(tx, context, call.params.category_id));
  },
};

const presentCategory = ({ id, name, parentId, isActive, createdAt, updatedAt }: CategoryRecord): Category => ({
  id,
  name,
  parentId,
  isActive,
  createdAt,
  updatedAt,
});
