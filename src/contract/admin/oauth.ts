/** Consent from the terminal: requests that wait for an answer, and the code that proves to a browser page who sits there. decisions-api §6.2. */
import { NAME_MAX_CHARS } from '../limits.ts';
import { one, operation } from '../operation.ts';
import { t } from '../schema.ts';
import { SCOPES } from '../scopes.ts';
import { tenantQuery } from './common.ts';

const consentRequest = {
  id: t.string(),
  application: t.object({ id: t.uuid(), name: t.string() }),
  redirectHost: t.about(t.string(), { description: 'Who receives the answer.' }),
  scopes: t.array(t.enums(SCOPES)),
  createdAt: t.timestamp(),
  expiresAt: t.timestamp(),
};

const byRequest = t.object({
  request: t.about(t.string({ max: NAME_MAX_CHARS }), { description: 'Id of the request; the page shows it.' }),
});

const answer = one(
  t.object({
    ...consentRequest,
    tenant: t.about(t.nullable(t.string()), { description: 'Slug of the tenant that allowed it; null when denied.' }),
    redirectTo: t.about(t.string(), {
      description: 'Where the browser goes next; after consent it carries a code that works once, within a minute.',
    }),
  }),
);

export const listConsentRequests = operation({
  id: 'oauth.requests',
  method: 'GET',
  path: '/admin/oauth/requests',
  scope: null,
  summary: 'List the authorization requests that wait for an answer, the oldest first',
  status: 200,
  result: t.object({ data: t.array(t.object(consentRequest)) }),
});

export const approveConsent = operation({
  id: 'oauth.approve',
  method: 'POST',
  path: '/admin/oauth/requests/{request}/approve',
  scope: null,
  summary: 'Allow what an authorization request asks for',
  params: byRequest,
  query: tenantQuery,
  body: t.object({}),
  status: 200,
  result: answer,
  errors: ['INVALID_STATE', 'APPLICATION_DISABLED'],
});

export const denyConsent = operation({
  id: 'oauth.deny',
  method: 'POST',
  path: '/admin/oauth/requests/{request}/deny',
  scope: null,
  summary: 'Deny what an authorization request asks for',
  params: byRequest,
  body: t.object({}),
  status: 200,
  result: answer,
  errors: ['INVALID_STATE'],
});

export const createLoginCode = operation({
  id: 'oauth.login',
  method: 'POST',
  path: '/admin/oauth/login',
  scope: null,
  summary: 'Make a code that proves to a consent page that you own this daemon',
  body: t.object({}),
  status: 201,
  result: t.object({ data: t.object({ expiresAt: t.timestamp() }), code: t.string() }),
});

export const oauthOperations = [listConsentRequests, approveConsent, denyConsent, createLoginCode] as const;
