/** `WWW-Authenticate`: how a refused caller can get what it needs. RFC 6750 §3, RFC 9728 §5.1; decisions-api §2, §6.7. */
import type { Request } from '@hapi/hapi';
import { type OAuthErrorCode, type Resource, WELL_KNOWN } from '../contract/oauth.ts';
import type { Scope } from '../contract/scopes.ts';

/** Where the caller reached this service: the issuer, and the front of every address in the metadata documents. */
export const baseOf = (request: Request): string => `http://${request.info.host}`;

/** The resource that a path belongs to. */
export const resourceOf = (path: string): Resource => (path === '/mcp' || path.startsWith('/mcp/') ? '/mcp' : '/v1');

/** Where the metadata of a resource is. The API and the whole service share a document; the tools have their own. */
export const metadataUrl = (base: string, resource: Resource): string =>
  `${base}${WELL_KNOWN.protectedResource}${resource === '/mcp' ? resource : ''}`;

interface Facts {
  readonly error?: Extract<OAuthErrorCode, 'invalid_request'> | 'invalid_token' | 'insufficient_scope';
  /** What would be enough, with `insufficient_scope`. */
  readonly scope?: Scope;
}

/** The header's value for a refusal at `resource`. */
export function challenge(request: Request, resource: Resource, { error, scope }: Facts = {}): string {
  const parts = [
    'realm="stockroom"',
    error === undefined ? undefined : `error="${error}"`,
    scope === undefined ? undefined : `scope="${scope}"`,
    `resource_metadata="${metadataUrl(baseOf(request), resource)}"`,
  ];
  return `Bearer ${parts.filter((part) => part !== undefined).join(', ')}`;
}
