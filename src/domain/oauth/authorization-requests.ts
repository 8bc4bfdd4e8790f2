/** Parses and validates authorization requests. RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707. */
import { CHALLENGE_METHODS, RESOURCES, type Resource } from '../../contract/oauth.ts';
import { SCOPES, type Scope } from '../../contract/scopes.ts';
import type { ApplicationRecord, AuthorizationRequest } from './records.ts';
import { OAuthError } from './errors.ts';
import { isDocumentUrl, isUnverified } from './self-registration.ts';

export type RequestParameters = ReadonlyMap<string, readonly string[]>;

/** A SHA-256 in base64url. */
const S256 = /^[\w-]{43}$/u;

/** The value of a parameter that may occur once. An empty value counts as absent (RFC 6749 §3.1). */
export function getSingleValue(parameters: RequestParameters, name: string): string | undefined {
  const values = parameters.get(name) ?? [];
  if (values.length > 1) throw new OAuthError('invalid_request', `${name} must not be repeated.`);
  return values[0] === '' ? undefined : values[0];
}

/** Parses the parameters of a request whose client and redirect URI are valid; errors may be sent to that redirect URI. */
export function parseAuthorizationRequest(
  parameters: RequestParameters,
  application: ApplicationRecord,
  redirectUri: string,
  issuer: string,
): Omit<AuthorizationRequest, 'state'> {
  const type = getSingleValue(parameters, 'response_type');
  if (type === undefined) throw new OAuthError('invalid_request', 'response_type is required and must be code.');
  if (type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  const mode = getSingleValue(parameters, 'response_mode') ?? 'query';
  if (mode !== 'query') throw new OAuthError('invalid_request', 'response_mode must be query.');
  if (application.status !== 'approved' && !isUnverified(application))
    throw new OAuthError('unauthorized_client', `The application is ${application.status}.`);
  if (!application.grantTypes.includes('authorization_code')) {
    throw new OAuthError('unauthorized_client', 'The application is not registered for the authorization code flow.');
  }
  const challenge = getSingleValue(parameters, 'code_challenge');
  if (challenge === undefined) throw new OAuthError('invalid_request', 'code_challenge is required (PKCE).');
  const method = getSingleValue(parameters, 'code_challenge_method');
  if (method === undefined || !(CHALLENGE_METHODS as readonly string[]).includes(method)) {
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256.');
  }
  if (!S256.test(challenge)) throw new OAuthError('invalid_request', 'code_challenge must be the base64url SHA-256 of the verifier.');
  return {
    applicationId: application.id,
    applicationName: application.name,
    redirectUri,
    challenge,
    isUnverified: isUnverified(application),
    ...(isDocumentUrl(application.clientId) && { clientHost: new URL(application.clientId).host }),
    ...narrowScopes(getSingleValue(parameters, 'scope'), application.allowedScopes),
    audience: parseAudience(parameters.get('resource') ?? [], issuer),
    issuer,
  };
}

/**
 * The requested scopes that the application may have, and those that it may not (RFC 6749 §3.3): clients of MCP request all that the metadata
 * name. Throws `invalid_scope` if none is left. Unknown scopes count for nothing.
 */
function narrowScopes(text: string | undefined, allowed: readonly Scope[]): Pick<AuthorizationRequest, 'scopes' | 'notGranted'> {
  const requested = text?.split(' ') ?? [];
  const known = SCOPES.filter((scope) => requested.includes(scope));
  const notGranted = known.filter((scope) => !allowed.includes(scope));
  const granted = requested.filter((scope) => (allowed as readonly string[]).includes(scope));
  // Without one of its own, the answer names those that it may request.
  return { scopes: parseScopes((granted.length === 0 ? requested : granted).join(' '), allowed), notGranted };
}

/** The scopes of a request, in the order of the contract. Without a scope parameter, all allowed scopes. */
export function parseScopes(text: string | undefined, allowed: readonly Scope[]): readonly Scope[] {
  const requested = text?.split(' ').filter((scope) => scope !== '') ?? [];
  const notAllowed = requested.find((scope) => !(allowed as readonly string[]).includes(scope));
  if (notAllowed !== undefined)
    throw new OAuthError(
      'invalid_scope',
      `A requested scope is unknown or not allowed for this client. Allowed scopes: ${allowed.join(' ')}.`,
    );
  const scopes = requested.length === 0 ? allowed : SCOPES.filter((scope) => requested.includes(scope));
  if (scopes.length === 0) throw new OAuthError('invalid_scope', 'No scope is allowed for this client.');
  return scopes;
}

/** The requested resources (RFC 8707), each a URL of this service. An empty value counts as absent. */
export function parseAudience(resources: readonly string[], issuer: string): readonly Resource[] {
  const urls = resources.filter((url) => url !== '');
  return [
    ...new Set(
      urls.map((url) => {
        const found = RESOURCES.find((resource) => url === issuer + resource || url === `${issuer}${resource}/`);
        if (found === undefined) {
          throw new OAuthError('invalid_target', `resource must be one of ${RESOURCES.map((resource) => issuer + resource).join(', ')}.`);
        }
        return found;
      }),
    ),
  ];
}
