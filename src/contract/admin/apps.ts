/** Partner applications: which clients may obtain keys over OAuth, with which scopes and in which tenants.. */
import { NAME_MAX_CHARS, REDIRECT_URIS_MAX, REDIRECT_URI_MAX_CHARS } from '../limits.ts';
import { APPLICATION_STATUSES, APPLICATION_TYPES, GRANT_TYPES, INSTALLATION_STATUSES } from '../oauth.ts';
import { pageQuery, single, defineAdminOperation, paginated } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { ENVIRONMENTS, SCOPES } from '../scopes.ts';
import { defineTenantOperation } from './shared-schemas.ts';

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
    describe(t.nullable(t.string()), 'Null for public applications. Shown only in this response, not when the request is replayed.'),
  ),
});

export const listApps = defineAdminOperation('apps.list', 'GET', '/admin/apps', {
  summary: 'List partner applications',
  query: t.object({
    ...pageQuery(['name', 'created_at']),
    status: t.optional(t.annotate(t.csv(t.enums(APPLICATION_STATUSES)), { description: 'Only these statuses, joined by commas.' })),
    type: t.optional(t.annotate(t.enums(APPLICATION_TYPES), { description: 'Only applications of this type.' })),
  }),
  result: paginated(application),
});

export const getApp = defineAdminOperation('apps.get', 'GET', '/admin/apps/{app}', {
  summary: 'Get a partner application and its installations',
  params: byId,
  result: applicationResult,
});

export const createApp = defineTenantOperation('apps.create', 'POST', '/admin/apps', {
  summary: 'Register a partner application',
  description: 'The client secret is shown only in this response.',
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

export const updateApp = defineTenantOperation('apps.update', 'PATCH', '/admin/apps/{app}', {
  summary: 'Update a partner application',
  description: 'Omitted fields are unchanged. Changes apply to existing keys immediately.',
  params: byId,
  body: applicationPatch,
  result: applicationResult,
  example: { body: { scopes: ['items:read'] } },
});

export const approveApp = defineTenantOperation('apps.approve', 'POST', '/admin/apps/{app}/approve', {
  summary: 'Approve an application and install it in a tenant',
  description: 'The tenant may be omitted if there is only one; with several tenants and none given, nothing is installed.',
  params: byId,
  body: approval,
  result: applicationResult,
});

export const suspendApp = defineTenantOperation('apps.suspend', 'POST', '/admin/apps/{app}/suspend', {
  summary: 'Suspend an application until it is approved again',
  description: 'Requests with its keys are rejected.',
  params: byId,
  body: t.object({}),
  result: applicationResult,
});

export const disconnectApp = defineTenantOperation('apps.disconnect', 'POST', '/admin/apps/{app}/disconnect', {
  summary: "Revoke an application's access to a tenant",
  params: byId,
  body: t.object({}),
  result: applicationResult,
});

export const rotateAppSecret = defineTenantOperation('apps.rotate-secret', 'POST', '/admin/apps/{app}/rotate-secret', {
  summary: 'Generate a new client secret',
  description: 'The previous secret remains valid for a day.',
  params: byId,
  body: t.object({}),
  result: secretResult,
  shownOnce: ['clientSecret'],
  errors: ['INVALID_STATE'],
});

export const deleteApp = defineTenantOperation('apps.delete', 'DELETE', '/admin/apps/{app}', {
  summary: 'Delete a partner application and revoke its keys',
  params: byId,
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
