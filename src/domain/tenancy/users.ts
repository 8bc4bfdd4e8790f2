/**
 * Users of a tenant. An invited user is `invited`, then `active` or `deactivated`, and may change between those two. No user becomes
 * `invited` again.
 */
import type { UserInvitation, UserPatch } from '../../contract/admin/users.ts';
import { type Change, diffFields, recordChange } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { duplicateValue, invalidField, notFound } from '../kernel/errors.ts';
import { DuplicateKey } from '../kernel/ports.ts';
import { checkUnreferenced, countReferences, getOrderNumbers } from '../kernel/references.ts';
import type { UserRecord } from './records.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { requireText } from '../kernel/text.ts';

type UserFields = Pick<UserRecord, 'email' | 'name' | 'role' | 'status'>;
const FIELDS = ['email', 'name', 'role', 'status'] as const satisfies readonly (keyof UserFields)[];

export async function getUser(tx: ReadTx, id: string): Promise<UserRecord> {
  const user = await tx.users.get(id);
  if (!user) throw notFound('user', id);
  return user;
}

export async function inviteUser(tx: Tx, context: Context, { email, name, role }: UserInvitation): Promise<UserRecord> {
  const at = context.now.toISOString();
  const user: UserRecord = {
    id: context.newId(),
    email: requireText(email, '/email'),
    name: name.trim(),
    role,
    status: 'invited',
    createdAt: at,
    updatedAt: at,
  };
  await putUser(tx, user);
  await recordUserChange(tx, context, 'user.invited', user, {
    metadata: { email: user.email, role },
    event: { name: 'user.invited', resourceId: user.id, updatedAt: at, changes: [], data: { email: user.email, role } },
  });
  return user;
}

export async function updateUser(tx: Tx, context: Context, id: string, patch: UserPatch): Promise<UserRecord> {
  const before = await getUser(tx, id);
  const fields: UserFields = {
    email: requireText(patch.email ?? before.email, '/email'),
    name: patch.name?.trim() ?? before.name,
    role: patch.role ?? before.role,
    status: patch.status ?? before.status,
  };
  const changes = diffFields<UserFields>(before, fields, FIELDS);
  if (Object.keys(changes).length === 0) return before;
  if (fields.status === 'invited' && before.status !== 'invited') {
    throw invalidField('/status', `status must be active or deactivated: ${before.email} has already been invited`, 'not_allowed');
  }
  const user: UserRecord = { ...before, ...fields, updatedAt: getNextTimestamp(context.now, before.updatedAt) };
  await putUser(tx, user);
  await recordUserChange(tx, context, 'user.updated', user, { changes });
  return user;
}

export async function removeUser(tx: Tx, context: Context, id: string): Promise<void> {
  const user = await getUser(tx, id);
  const orders = await countReferences(tx.orders, [{ field: 'assignedTo', equals: id }], getOrderNumbers);
  await checkUnreferenced('user', { orders }, 'Deactivate it instead: set status to deactivated.');
  await tx.users.remove(id);
  await recordUserChange(tx, context, 'user.removed', user, { metadata: { email: user.email } });
}

async function putUser(tx: Tx, user: UserRecord): Promise<void> {
  try {
    await tx.users.put(user);
  } catch (error) {
    throw error instanceof DuplicateKey ? duplicateValue('email', user.email, error.existingId) : error;
  }
}

const recordUserChange = (tx: Tx, context: Context, action: string, user: UserRecord, more: Partial<Change> = {}): Promise<void> =>
  recordChange(tx, context, { ...more, action, resourceType: 'user', resourceId: user.id });
