import type { userOperations } from '../../contract/admin/users.ts';
import { getUser, inviteUser, removeUser, updateUser } from '../../domain/users.ts';
import { among, pageQuery, paginationOf } from '../lists.ts';
import { type AdminHandlers, change, read } from './call.ts';

export const userHandlers: AdminHandlers<typeof userOperations> = {
  async 'users.list'(call) {
    const { query } = call;
    const where = [among('role', query.role), among('status', query.status)];
    const { rows, total } = await read(call, (tx) => tx.users.page(pageQuery(query, where)));
    return { data: rows, pagination: paginationOf(query, total) };
  },
  async 'users.get'(call) {
    return { data: await read(call, (tx) => getUser(tx, call.params.user_id)) };
  },
  async 'users.invite'(call) {
    return { data: await change(call, (tx, context) => inviteUser(tx, context, call.body)) };
  },
  async 'users.update'(call) {
    return { data: await change(call, (tx, context) => updateUser(tx, context, call.params.user_id, call.body)) };
  },
  async 'users.remove'(call) {
    await change(call, (tx, context) => removeUser(tx, context, call.params.user_id));
  },
};
