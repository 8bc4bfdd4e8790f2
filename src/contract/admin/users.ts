/** People of a tenant: who orders can be assigned to. D-22. */
import { emailAddress } from '../contacts.ts';
import { NAME_MAX_CHARS } from '../limits.ts';
import { one, operation, pageOf } from '../operation.ts';
import { type Infer, t } from '../schema.ts';
import { tenantListQuery, tenantQuery } from './common.ts';

export const USER_ROLES = ['admin', 'manager', 'staff'] as const;
export const USER_STATUSES = ['invited', 'active', 'deactivated'] as const;
export type UserRole = (typeof USER_ROLES)[number];
export type UserStatus = (typeof USER_STATUSES)[number];

export const user = t.object({
  id: t.uuid(),
  email: t.string(),
  name: t.string(),
  role: t.enums(USER_ROLES),
  status: t.enums(USER_STATUSES),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});

const name = () => t.about(t.maybeEmpty(NAME_MAX_CHARS), { description: 'Empty until it is known.' });

export const userInvitation = t.object({
  email: t.about(emailAddress(), { description: 'Unique within the tenant, whatever its case.' }),
  name: t.withDefault(name(), ''),
  role: t.withDefault(t.enums(USER_ROLES), 'staff'),
});
export type UserInvitation = Infer<typeof userInvitation>;

export const userPatch = t.object({
  email: t.optional(emailAddress()),
  name: t.optional(name()),
  role: t.optional(t.enums(USER_ROLES)),
  status: t.optional(
    t.about(t.enums(USER_STATUSES), {
      description: 'An invited user becomes active or deactivated, and may change between these; nobody is invited twice.',
    }),
  ),
});
export type UserPatch = Infer<typeof userPatch>;

const byId = t.object({ user_id: t.uuid() });

export const listUsers = operation({
  id: 'users.list',
  method: 'GET',
  path: '/admin/users',
  scope: null,
  summary: 'List users',
  query: t.object({
    ...tenantListQuery(['name', 'email', 'created_at']),
    role: t.optional(t.csv(t.enums(USER_ROLES))),
    status: t.optional(t.csv(t.enums(USER_STATUSES))),
  }),
  status: 200,
  result: pageOf(user),
});

export const inviteUser = operation({
  id: 'users.invite',
  method: 'POST',
  path: '/admin/users',
  scope: null,
  summary: 'Invite a user',
  query: tenantQuery,
  body: userInvitation,
  status: 201,
  result: one(user),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { email: 'ana@example.com', name: 'Ana Reis', role: 'manager' } },
});

export const getUser = operation({
  id: 'users.get',
  method: 'GET',
  path: '/admin/users/{user_id}',
  scope: null,
  summary: 'Read a user',
  params: byId,
  query: tenantQuery,
  status: 200,
  result: one(user),
});

export const updateUser = operation({
  id: 'users.update',
  method: 'PATCH',
  path: '/admin/users/{user_id}',
  scope: null,
  summary: 'Change a user',
  params: byId,
  query: tenantQuery,
  body: userPatch,
  status: 200,
  result: one(user),
  errors: ['DUPLICATE_VALUE'],
});

export const removeUser = operation({
  id: 'users.remove',
  method: 'DELETE',
  path: '/admin/users/{user_id}',
  scope: null,
  summary: 'Remove a user to whom nothing is assigned',
  params: byId,
  query: tenantQuery,
  status: 204,
  result: null,
  errors: ['RESOURCE_IN_USE'],
});

export const userOperations = [listUsers, inviteUser, getUser, updateUser, removeUser] as const;
