/** Users of a tenant, to whom orders can be assigned. D-22. */
import { requiredEmail } from '../resources/contacts.ts';
import { NAME_MAX_CHARS } from '../limits.ts';
import { single, defineOperation, paginated } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { USER_ROLES, USER_STATUSES, user } from '../resources/setting-records.ts';
import { tenantListQuery, tenantQuery } from './shared-schemas.ts';

const name = () => t.annotate(t.lineOrEmpty(NAME_MAX_CHARS), { description: 'Full name; empty if unknown.' });

const email = () => describe(requiredEmail(), 'E-mail address; unique within the tenant, ignoring case.');

export const userInvitation = t.object({
  email: email(),
  name: t.withDefault(name(), ''),
  role: describe(t.withDefault(t.enums(USER_ROLES), 'staff'), 'Role of the user in the tenant.'),
});
export type UserInvitation = Infer<typeof userInvitation>;

export const userPatch = t.object({
  email: t.optional(email()),
  name: t.optional(name()),
  role: describe(t.optional(t.enums(USER_ROLES)), 'Role of the user in the tenant.'),
  status: t.optional(
    t.annotate(t.enums(USER_STATUSES), {
      description: 'active or deactivated; a user cannot become invited again.',
    }),
  ),
});
export type UserPatch = Infer<typeof userPatch>;

const byId = t.object({ user_id: t.id('user') });

export const listUsers = defineOperation({
  id: 'users.list',
  method: 'GET',
  path: '/admin/users',
  scope: null,
  summary: 'List users',
  query: t.object({
    ...tenantListQuery(['name', 'email', 'created_at', 'updated_at']),
    role: t.optional(t.annotate(t.csv(t.enums(USER_ROLES)), { description: 'Only these roles, joined by commas.' })),
    status: t.optional(t.annotate(t.csv(t.enums(USER_STATUSES)), { description: 'Only these statuses, joined by commas.' })),
  }),
  status: 200,
  result: paginated(user),
});

export const inviteUser = defineOperation({
  id: 'users.invite',
  method: 'POST',
  path: '/admin/users',
  scope: null,
  summary: 'Invite a user',
  query: tenantQuery,
  body: userInvitation,
  status: 201,
  result: single(user),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { email: 'ana@example.com', name: 'Ana Reis', role: 'manager' } },
});

export const getUser = defineOperation({
  id: 'users.get',
  method: 'GET',
  path: '/admin/users/{user_id}',
  scope: null,
  summary: 'Get a user',
  params: byId,
  query: tenantQuery,
  status: 200,
  result: single(user),
});

export const updateUser = defineOperation({
  id: 'users.update',
  method: 'PATCH',
  path: '/admin/users/{user_id}',
  scope: null,
  summary: 'Update a user',
  description: 'Omitted fields are unchanged.',
  params: byId,
  query: tenantQuery,
  body: userPatch,
  status: 200,
  result: single(user),
  errors: ['DUPLICATE_VALUE'],
});

export const removeUser = defineOperation({
  id: 'users.remove',
  method: 'DELETE',
  path: '/admin/users/{user_id}',
  scope: null,
  summary: 'Remove a user who has no assigned orders',
  params: byId,
  query: tenantQuery,
  status: 204,
  result: null,
  errors: ['RESOURCE_IN_USE'],
});

export const userOperations = [listUsers, inviteUser, getUser, updateUser, removeUser] as const;
