/** Partner applications: who may obtain keys over OAuth, with what, and in which tenants. decisions-api §6.1. */
import { NAME_MAX_CHARS, REDIRECT_URIS_MAX, REDIRECT_URI_MAX_CHARS } from '../limits.ts';
import { APPLICATION_STATUSES, APPLICATION_TYPES, GRANT_TYPES, INSTALLATION_STATUSES } from '../oauth.ts';
import { listQuery, one, operation, pageOf } from '../operation.ts';
import { type Infer, t } from '../schema.ts';
import { ENVIRONMENTS, SCOPES } from '../scopes.ts';
import { tenantQuery } from './common.ts';

const scopeList = () => t.array(t.enums(SCOPES), { min: 1, max: SCOPES.length, unique: true });

const installation = t.object({
  id: t.uuid(),
  tenantId: t.uuid(),
  tenant: t.about(t.string(), { description: 'Its slug.' }),
  scopes: t.array(t.enums(SCOPES)),
  environment: t.nullable(t.enums(ENVIRONMENTS)),
  status: t.enums(INSTALLATION_STATUSES),
  approvedBy: t.string(),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});

export const application = t.object({
  id: t.uuid(),
  clientId: t.about(t.string(), { description: 'The `client_id` of its requests; public.' }),
  name: t.string(),
  type: t.enums(APPLICATION_TYPES),
  status: t.enums(APPLICATION_STATUSES),
  redirectUris: t.array(t.string()),
  scopes: t.about(t.array(t.enums(SCOPES)), { description: 'The most it may ever be granted.' }),
  grantTypes: t.array(t.enums(GRANT_TYPES)),
  installations: t.about(t.array(installation), { description: 'The tenants it is or was connected with.' }),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});
export type Application = Infer<typeof application>;

const settings = {
  name: t.about(t.line(NAME_MAX_CHARS), { description: 'What people read when they are asked for consent.' }),
  redirectUris: t.about(t.array(t.line(REDIRECT_URI_MAX_CHARS), { max: REDIRECT_URIS_MAX, unique: true }), {
    description: 'Where consent may lead, compared exactly: https, or http on this machine.',
  }),
  scopes: t.about(scopeList(), { description: 'The most it may ever be granted.' }),
  grantTypes: t.about(t.array(t.enums(GRANT_TYPES), { min: 1, unique: true }), {
    description: 'Made from the type when left out; client_credentials is for confidential applications.',
  }),
};

export const applicationDraft = t.object({
  ...settings,
  type: t.about(t.enums(APPLICATION_TYPES), { description: 'Whether it can keep a secret.' }),
  redirectUris: t.withDefault(settings.redirectUris, []),
  grantTypes: t.optional(settings.grantTypes),
});
export type ApplicationDraft = Infer<typeof applicationDraft>;
export const applicationPatch = t.partial(t.object(settings));
export type ApplicationPatch = Infer<typeof applicationPatch>;

export const approval = t.object({
  scopes: t.optional(t.about(scopeList(), { description: 'What it may do in the tenant; all of its scopes when left out.' })),
  environment: t.optional(
    t.about(t.nullable(t.enums(ENVIRONMENTS)), { description: 'Of its keys in the tenant: production makes pk_live_, all else pk_test_.' }),
  ),
});
export type Approval = Infer<typeof approval>;

const byId = t.object({ app: t.about(t.string({ max: NAME_MAX_CHARS }), { description: 'Id or client id.' }) });
const shown = one(application);
const withSecret = t.object({ data: application, clientSecret: t.nullable(t.string()) });

export const listApps = operation({
  id: 'apps.list',
  method: 'GET',
  path: '/admin/apps',
  scope: null,
  summary: 'List partner applications',
  query: t.object({
    ...listQuery(['name', 'created_at']),
    status: t.optional(t.csv(t.enums(APPLICATION_STATUSES))),
    type: t.optional(t.enums(APPLICATION_TYPES)),
  }),
  status: 200,
  result: pageOf(application),
});

export const getApp = operation({
  id: 'apps.get',
  method: 'GET',
  path: '/admin/apps/{app}',
  scope: null,
  summary: 'Read a partner application and where it is installed',
  params: byId,
  status: 200,
  result: shown,
});

export const createApp = operation({
  id: 'apps.create',
  method: 'POST',
  path: '/admin/apps',
  scope: null,
  summary: 'Register a partner application; the reply is the only place where its secret is shown',
  query: tenantQuery,
  body: applicationDraft,
  status: 201,
  result: withSecret,
  example: {
    body: {
      name: 'Shop sync',
      type: 'confidential',
      redirectUris: ['https://shop.example/oauth/callback'],
      scopes: ['items:read', 'orders:write'],
    },
  },
});

export const updateApp = operation({
  id: 'apps.update',
  method: 'PATCH',
  path: '/admin/apps/{app}',
  scope: null,
  summary: 'Change a partner application; keys that it holds follow at once',
  params: byId,
  query: tenantQuery,
  body: applicationPatch,
  status: 200,
  result: shown,
  example: { body: { scopes: ['items:read'] } },
});

export const approveApp = operation({
  id: 'apps.approve',
  method: 'POST',
  path: '/admin/apps/{app}/approve',
  scope: null,
  summary: 'Approve an application, and connect it with the tenant when one is named or there is only one',
  params: byId,
  query: tenantQuery,
  body: approval,
  status: 200,
  result: shown,
});

export const suspendApp = operation({
  id: 'apps.suspend',
  method: 'POST',
  path: '/admin/apps/{app}/suspend',
  scope: null,
  summary: 'Refuse everything of an application until it is approved again',
  params: byId,
  query: tenantQuery,
  body: t.object({}),
  status: 200,
  result: shown,
});

export const disconnectApp = operation({
  id: 'apps.disconnect',
  method: 'POST',
  path: '/admin/apps/{app}/disconnect',
  scope: null,
  summary: 'Take back what an application may do in a tenant',
  params: byId,
  query: tenantQuery,
  body: t.object({}),
  status: 200,
  result: shown,
});

export const rotateAppSecret = operation({
  id: 'apps.rotate-secret',
  method: 'POST',
  path: '/admin/apps/{app}/rotate-secret',
  scope: null,
  summary: 'Make a new client secret; the one before keeps working for a day',
  params: byId,
  query: tenantQuery,
  body: t.object({}),
  status: 200,
  result: withSecret,
  errors: ['INVALID_STATE'],
});

export const deleteApp = operation({
  id: 'apps.delete',
  method: 'DELETE',
  path: '/admin/apps/{app}',
  scope: null,
  summary: 'Delete a partner application and revoke every key it holds',
  params: byId,
  query: tenantQuery,
  status: 204,
  result: null,
});

export const appOperations = [
  listApps,
  getApp,
  createApp,
  updateApp,
  approveApp,
  suspendApp,
  disconnectApp,
  rotateAppSecret,
  deleteApp,
] as const;
