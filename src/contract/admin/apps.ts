/** Partner applications: which clients may obtain keys over OAuth, with which scopes and in which tenants.. */
import { NAME_MAX_CHARS, REDIRECT_URIS_MAX, REDIRECT_URI_MAX_CHARS } from '../limits.ts';
import { APPLICATION_STATUSES, APPLICATION_TYPES, GRANT_TYPES, INSTALLATION_STATUSES } from '../oauth.ts';
import { pageQuery, single, defineOperation, paginated } from '../operation.ts';
import { type Infer, t } from '../schema/builder.ts';
import { ENVIRONMENTS, SCOPES } from '../scopes.ts';
import { tenantQuery } from './shared-schemas.ts';

const scopeList = () => t.array(t.enums(SCOPES), { min: 1, max: SCOPES.length, unique: true });

const installation = t.object({
  id: t.uuid(),
  tenantId: t.uuid(),
  tenant: t.annotate(t.string(), { description: 'Slug of the tenant.' }),
  scopes: t.array(t.enums(SCOPES)),
  environment: t.nullable(t.enums(ENVIRONMENTS)),
  status: t.enums(INSTALLATION_STATUSES),
  approvedBy: t.string(),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});

export const application = t.object({
  id: t.uuid(),
  clientId: t.annotate(t.string(), { description: 'Public OAuth `client_id`.' }),
  name: t.string(),
  type: t.enums(APPLICATION_TYPES),
  status: t.enums(APPLICATION_STATUSES),
  redirectUris: t.array(t.string()),
  scopes: t.annotate(t.array(t.enums(SCOPES)), { description: 'Scopes that the application may be granted.' }),
  grantTypes: t.array(t.enums(GRANT_TYPES)),
  installations: t.annotate(t.array(installation), { description: 'Tenants where the application is or was installed.' }),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});
export type Application = Infer<typeof application>;

const settings = {
  name: t.annotate(t.line(NAME_MAX_CHARS), { description: 'Name shown on the consent page.' }),
  redirectUris: t.annotate(t.array(t.line(REDIRECT_URI_MAX_CHARS), { max: REDIRECT_URIS_MAX, unique: true }), {
    description: 'Allowed redirect URIs, matched exactly: https, or http on a loopback address.',
  }),
  scopes: t.annotate(scopeList(), { description: 'Scopes that the application may be granted.' }),
  grantTypes: t.annotate(t.array(t.enums(GRANT_TYPES), { min: 1, unique: true }), {
    description: 'Default: derived from the type and the redirect URIs. Only confidential applications can use client_credentials.',
  }),
};

export const applicationDraft = t.object({
  ...settings,
  type: t.annotate(t.enums(APPLICATION_TYPES), { description: 'confidential if the application can keep a secret, else public.' }),
  redirectUris: t.withDefault(settings.redirectUris, []),
  grantTypes: t.optional(settings.grantTypes),
});
export type ApplicationDraft = Infer<typeof applicationDraft>;
export const applicationPatch = t.partial(t.object(settings));
export type ApplicationPatch = Infer<typeof applicationPatch>;

export const approval = t.object({
  scopes: t.optional(t.annotate(scopeList(), { description: 'Scopes granted in the tenant. Default: all scopes of the application.' })),
  environment: t.optional(
    t.annotate(t.nullable(t.enums(ENVIRONMENTS)), {
      description: 'Environment of its keys in the tenant: keys start with pk_live_ in production, else with pk_test_.',
    }),
  ),
});
export type Approval = Infer<typeof approval>;

const byId = t.object({
  app: t.annotate(t.string({ max: NAME_MAX_CHARS }), { description: 'Id or client id of the application.', refersTo: 'app' }),
});
const applicationResult = single(application);
const secretResult = t.object({
  data: application,
  clientSecret: t.optional(
    t.annotate(t.nullable(t.string()), {
      description: 'Null for public applications. Shown only in this response, not when the request is replayed.',
    }),
  ),
});

export const listApps = defineOperation({
  id: 'apps.list',
  method: 'GET',
  path: '/admin/apps',
  scope: null,
  summary: 'List partner applications',
  query: t.object({
    ...pageQuery(['name', 'created_at']),
    status: t.optional(t.annotate(t.csv(t.enums(APPLICATION_STATUSES)), { description: 'Only these statuses, joined by commas.' })),
    type: t.optional(t.annotate(t.enums(APPLICATION_TYPES), { description: 'Only applications of this type.' })),
  }),
  status: 200,
  result: paginated(application),
});

export const getApp = defineOperation({
  id: 'apps.get',
  method: 'GET',
  path: '/admin/apps/{app}',
  scope: null,
  summary: 'Get a partner application and its installations',
  params: byId,
  status: 200,
  result: applicationResult,
});

export const createApp = defineOperation({
  id: 'apps.create',
  method: 'POST',
  path: '/admin/apps',
  scope: null,
  summary: 'Register a partner application',
  description: 'The client secret is shown only in this response.',
  query: tenantQuery,
  body: applicationDraft,
  status: 201,
  result: secretResult,
  shownOnce: ['clientSecret'],
  example: {
    body: {
      name: 'Shop sync',
      type: 'confidential',
      redirectUris: ['https://shop.example/oauth/callback'],
      scopes: ['items:read', 'orders:write'],
    },
  },
});

export const updateApp = defineOperation({
  id: 'apps.update',
  method: 'PATCH',
  path: '/admin/apps/{app}',
  scope: null,
  summary: 'Update a partner application',
  description: 'Omitted fields are unchanged. Changes apply to existing keys immediately.',
  params: byId,
  query: tenantQuery,
  body: applicationPatch,
  status: 200,
  result: applicationResult,
  example: { body: { scopes: ['items:read'] } },
});

export const approveApp = defineOperation({
  id: 'apps.approve',
  method: 'POST',
  path: '/admin/apps/{app}/approve',
  scope: null,
  summary: 'Approve an application and install it in a tenant',
  description: 'The tenant may be omitted if there is only one; with several tenants and none given, nothing is installed.',
  params: byId,
  query: tenantQuery,
  body: approval,
  status: 200,
  result: applicationResult,
});

export const suspendApp = defineOperation({
  id: 'apps.suspend',
  method: 'POST',
  path: '/admin/apps/{app}/suspend',
  scope: null,
  summary: 'Suspend an application until it is approved again',
  description: 'Requests with its keys are rejected.',
  params: byId,
  query: tenantQuery,
  body: t.object({}),
  status: 200,
  result: applicationResult,
});

export const disconnectApp = defineOperation({
  id: 'apps.disconnect',
  method: 'POST',
  path: '/admin/apps/{app}/disconnect',
  scope: null,
  summary: "Revoke an application's access to a tenant",
  params: byId,
  query: tenantQuery,
  body: t.object({}),
  status: 200,
  result: applicationResult,
});

export const rotateAppSecret = defineOperation({
  id: 'apps.rotate-secret',
  method: 'POST',
  path: '/admin/apps/{app}/rotate-secret',
  scope: null,
  summary: 'Generate a new client secret',
  description: 'The previous secret remains valid for a day.',
  params: byId,
  query: tenantQuery,
  body: t.object({}),
  status: 200,
  result: secretResult,
  shownOnce: ['clientSecret'],
  errors: ['INVALID_STATE'],
});

export const deleteApp = defineOperation({
  id: 'apps.delete',
  method: 'DELETE',
  path: '/admin/apps/{app}',
  scope: null,
  summary: 'Delete a partner application and revoke its keys',
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
