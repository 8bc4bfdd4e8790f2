/** Users of a tenant, to whom orders can be assigned. D-22. */
import { requiredEmail } from '../resources/contacts.ts';
import { NAME_MAX_CHARS } from '../limits.ts';
import { single, defineAdminOperation, paginated } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { USER_ROLES, USER_STATUSES, user } from '../resources/setting-records.ts';
import { tenantListQuery, defineTenantOperation } from './shared-schemas.ts';

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
  status: t.optional(describe(t.enums(USER_STATUSES), 'active or deactivated; a user cannot become invited again.')),
});
export type UserPatch = Infer<typeof userPatch>;

const byId = t.object({ user_id: t.id('user') });

export const listUsers = defineAdminOperation('users.list', 'GET', '/admin/users', {
  summary: 'List users',
  query: t.object({
    ...tenantListQuery(['name', 'email', 'created_at', 'updated_at']),
    role: t.optional(t.annotate(t.csv(t.enums(USER_ROLES)), { description: 'Only these roles, joined by commas.' })),
    status: t.optional(t.annotate(t.csv(t.enums(USER_STATUSES)), { description: 'Only these statuses, joined by commas.' })),
  }),
  result: paginated(user),
});

export const inviteUser = defineTenantOperation('users.invite', 'POST', '/admin/users', {
  summary: 'Invite a user',
  body: userInvitation,
  status: 201,
  result: single(user),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { email: 'ana@example.com', name: 'Ana Reis', role: 'manager' } },
});

export const getUser = defineTenantOperation('users.get', 'GET', '/admin/users/{user_id}', {
  summary: 'Get a user',
  params: byId,
  result: single(user),
});

export const updateUser = defineTenantOperation('users.update', 'PATCH', '/admin/users/{user_id}', {
  summary: 'Update a user',
  description: 'Omitted fields are unchanged.',
  params: byId,
  body: userPatch,
  result: single(user),
  errors: ['DUPLICATE_VALUE'],
});

export const removeUser = defineTenantOperation('users.remove', 'DELETE', '/admin/users/{user_id}', {
  summary: 'Remove a user who has no assigned orders',
  params: byId,
  result: null,
  errors: ['RESOURCE_IN_USE'],
});

export const userOperations = [listUsers, inviteUser, getUser, updateUser, removeUser] as const;
