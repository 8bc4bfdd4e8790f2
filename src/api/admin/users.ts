/** Admin handlers of users. */
import type { userOperations } from '../../contract/admin/users.ts';
import { getUser, inviteUser, removeUser, updateUser } from '../../domain/tenancy/users.ts';
import { listUsers } from '../settings.ts';
import { type AdminHandlers, readTenant, writeTenant } from './handler.ts';

export const userHandlers: AdminHandlers<typeof userOperations> = {
  'users.list': async (call) => readTenant(call, (tx) => listUsers(tx, call.query)),
  'users.get': async (call) => ({ data: await readTenant(call, (tx) => getUser(tx, call.params.user_id)) }),
  'users.invite': async (call) => writeTenant(call, async (tx, context) => ({ data: await inviteUser(tx, context, call.body) })),
  'users.update': async (call) =>
    writeTenant(call, async (tx, context) => ({ data: await updateUser(tx, context, call.params.user_id, call.body) })),
  async 'users.remove'(call) {
    await writeTenant(call, (tx, context) => removeUser(tx, context, call.params.user_id));
  },
};
