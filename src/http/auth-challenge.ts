/** `WWW-Authenticate` challenges: where a rejected client finds the authorization server, and which scope it needs. RFC 6750 §3, RFC 9728 §5.1. */
import type { Request } from '@hapi/hapi';
import { type OAuthErrorCode, type Resource, WELL_KNOWN } from '../contract/oauth.ts';
import type { Scope } from '../contract/scopes.ts';
import { getBaseUrl } from './base-url.ts';

/** The resource that a path belongs to. */
export const toResource = (path: string): Resource => (path === '/mcp' || path.startsWith('/mcp/') ? '/mcp' : '/v1');

/** The URL of a resource's metadata document. The API shares its document with the whole service; `/mcp` has its own. */
export const toMetadataUrl = (base: string, resource: Resource): string =>
  `${base}${WELL_KNOWN.protectedResource}${resource === '/mcp' ? resource : ''}`;

interface ChallengeDetails {
  readonly error?: Extract<OAuthErrorCode, 'invalid_request'> | 'invalid_token' | 'insufficient_scope';
  /**
   * With `insufficient_scope`, the required scope after those that the key has: a client replaces its token by one with just the scopes of
   * the challenge (MCP 2025-11-25).
   */
  readonly scopes?: readonly Scope[];
}

/** The header value for a rejected request to `resource`. */
export function buildChallenge(request: Request, resource: Resource, { error, scopes }: ChallengeDetails = {}): string {
  const parameters = [
    'realm="stockroom"',
    error === undefined ? undefined : `error="${error}"`,
    scopes === undefined ? undefined : `scope="${scopes.join(' ')}"`,
    `resource_metadata="${toMetadataUrl(getBaseUrl(request), resource)}"`,
  ];
  return `Bearer ${parameters.filter((parameter) => parameter !== undefined).join(', ')}`;
}
