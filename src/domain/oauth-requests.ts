/** An authorization request, checked: what a consent is about. RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707; decisions-api §6.2. */
import { CHALLENGE_METHODS, RESOURCES, type Resource } from '../contract/oauth.ts';
import { SCOPES, type Scope } from '../contract/scopes.ts';
import type { ApplicationRecord } from './applications.ts';
import { OAuthError } from './oauth-errors.ts';

export interface ConsentFacts {
  readonly applicationId: string;
  readonly applicationName: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly challenge: string;
  readonly scopes: readonly Scope[];
  /** Empty: everything. */
  readonly audience: readonly Resource[];
  /** The issuer: the address by which the client came. */
  readonly issuer: string;
}

export type Parameters = ReadonlyMap<string, readonly string[]>;

/** 43 characters of base64url: a SHA-256. */
const S256 = /^[\w-]{43}$/u;

/** The one value of a parameter; an empty one counts as absent (RFC 6749 §3.1). */
export function single(parameters: Parameters, name: string): string | undefined {
  const values = parameters.get(name) ?? [];
  if (values.length > 1) throw new OAuthError('invalid_request', `${name} is there more than once.`);
  return values[0] === '' ? undefined : values[0];
}

/** Everything of a request but client and redirect, whose problems may not travel to the redirect. */
export function consentFacts(
  parameters: Parameters,
  application: ApplicationRecord,
  redirectUri: string,
  issuer: string,
): Omit<ConsentFacts, 'state'> {
  const type = single(parameters, 'response_type');
  if (type === undefined) throw new OAuthError('invalid_request', 'response_type is required; it is code.');
  if (type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type is code, nothing else.');
  const mode = single(parameters, 'response_mode') ?? 'query';
  if (mode !== 'query') throw new OAuthError('invalid_request', 'response_mode is query, nothing else.');
  if (application.status !== 'approved') throw new OAuthError('unauthorized_client', `The application is ${application.status}.`);
  if (!application.grantTypes.includes('authorization_code')) {
    throw new OAuthError('unauthorized_client', 'The application is not registered for the authorization code flow.');
  }
  const challenge = single(parameters, 'code_challenge');
  if (challenge === undefined) throw new OAuthError('invalid_request', 'code_challenge is required (PKCE).');
  const method = single(parameters, 'code_challenge_method');
  if (method === undefined || !(CHALLENGE_METHODS as readonly string[]).includes(method)) {
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256.');
  }
  if (!S256.test(challenge)) throw new OAuthError('invalid_request', 'code_challenge must be the base64url SHA-256 of the verifier.');
  return {
    applicationId: application.id,
    applicationName: application.name,
    redirectUri,
    challenge,
    scopes: scopesOf(single(parameters, 'scope'), application.allowedScopes),
    audience: audienceOf(parameters.get('resource') ?? [], issuer),
    issuer,
  };
}

/** The scopes of a request, in the order of the contract: absent means all that are possible, anything else is refused. */
export function scopesOf(text: string | undefined, possible: readonly Scope[]): readonly Scope[] {
  const asked = text?.split(' ').filter((scope) => scope !== '') ?? [];
  const strange = asked.find((scope) => !(possible as readonly string[]).includes(scope));
  if (strange !== undefined)
    throw new OAuthError('invalid_scope', `A scope is unknown or not for this client; possible are ${possible.join(' ')}.`);
  const scopes = asked.length === 0 ? possible : SCOPES.filter((scope) => asked.includes(scope));
  if (scopes.length === 0) throw new OAuthError('invalid_scope', 'Nothing is left that this client may be granted.');
  return scopes;
}

/** The resources that a request names (RFC 8707), each an address of this service; an empty one counts as absent. */
export function audienceOf(resources: readonly string[], issuer: string): readonly Resource[] {
  const named = resources.filter((address) => address !== '');
  return [
    ...new Set(
      named.map((address) => {
        const found = RESOURCES.find((resource) => address === issuer + resource || address === `${issuer}${resource}/`);
        if (found === undefined) {
          throw new OAuthError('invalid_target', `resource must be ${RESOURCES.map((resource) => issuer + resource).join(', ')}.`);
        }
        return found;
      }),
    ),
  ];
}
