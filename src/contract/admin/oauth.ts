/** Consent from the terminal: pending authorization requests, and the login code that identifies the owner to the consent page.. */
import { NAME_MAX_CHARS } from '../limits.ts';
import { single, defineAdminOperation } from '../operation.ts';
import { t } from '../schema/builder.ts';
import { SCOPES } from '../scopes.ts';
import { defineTenantOperation } from './shared-schemas.ts';

const consentRequest = {
  id: t.string(),
  application: t.object({ id: t.uuid(), name: t.string() }),
  redirectHost: t.annotate(t.string(), { description: 'Host that receives the authorization response.' }),
  scopes: t.array(t.enums(SCOPES)),
  createdAt: t.timestamp(),
  expiresAt: t.timestamp(),
};

const byRequest = t.object({
  request: t.annotate(t.string({ max: NAME_MAX_CHARS }), { description: 'Id of the request, as shown on the consent page.' }),
});

const consentResult = single(
  t.object({
    ...consentRequest,
    tenant: t.annotate(t.nullable(t.string()), { description: 'Slug of the tenant that granted access; null when denied.' }),
    redirectTo: t.annotate(t.string(), {
      description: 'URL where the browser continues. After approval it contains a single-use code that is valid for one minute.',
    }),
  }),
);

export const listConsentRequests = defineAdminOperation('oauth.requests', 'GET', '/admin/oauth/requests', {
  summary: 'List pending authorization requests',
  result: t.object({ data: t.array(t.object(consentRequest)) }),
});

export const approveConsent = defineTenantOperation('oauth.approve', 'POST', '/admin/oauth/requests/{request}/approve', {
  summary: 'Approve an authorization request',
  params: byRequest,
  body: t.object({}),
  result: consentResult,
  errors: ['INVALID_STATE', 'APPLICATION_DISABLED'],
});

export const denyConsent = defineAdminOperation('oauth.deny', 'POST', '/admin/oauth/requests/{request}/deny', {
  summary: 'Deny an authorization request',
  params: byRequest,
  body: t.object({}),
  result: consentResult,
  errors: ['INVALID_STATE'],
});

export const createLoginCode = defineAdminOperation('oauth.login', 'POST', '/admin/oauth/login', {
  summary: 'Generate a one-time code for the consent page',
  body: t.object({}),
  status: 201,
  result: t.object({ data: t.object({ expiresAt: t.timestamp() }), code: t.string() }),
});

export const oauthOperations = [listConsentRequests, approveConsent, denyConsent, createLoginCode] as const;
