import type { Category, categoryOperations } from '../../contract/admin/categories.ts';
import { createCategory, deleteCategory, getCategory, updateCategory } from '../../domain/categories.ts';
import type { CategoryRecord } from '../../domain/settings.ts';
import { equal, pageQuery, paginationOf } from '../lists.ts';
import { type AdminHandlers, change, read } from './call.ts';

export const categoryHandlers: AdminHandlers<typeof categoryOperations> = {
  async 'categories.list'(call) {
    const { query } = call;
    const where = [equal('isActive', query.is_active), equal('parentId', query.parent_id)];
    const { rows, total } = await read(call, (tx) => tx.categories.page(pageQuery(query, where)));
    return { data: rows.map(present), pagination: paginationOf(query, total) };
  },
  async 'categories.get'(call) {
    return { data: present(await read(call, (tx) => getCategory(tx, call.params.category_id))) };
  },
  async 'categories.create'(call) {
    return { data: present(await change(call, (tx, context) => createCategory(tx, context, call.body))) };
  },
  async 'categories.update'(call) {
    return { data: present(await change(call, (tx, context) => updateCategory(tx, context, call.params.category_id, call.body))) };
  },
  async 'categories.delete'(call) {
    await change(call, (tx, context) => deleteCategory(tx, context, call.params.category_id));
  },
};

const present = ({ id, name, parentId, isActive, createdAt, updatedAt }: CategoryRecord): Category => ({
  id,
  name,
  parentId,
  isActive,
  createdAt,
  updatedAt,
});
