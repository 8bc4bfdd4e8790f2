/** What clients read before they ask: RFC 8414 about the authorization server, RFC 9728 about the resources it protects. decisions-api §6.5. */
import type { Server } from '@hapi/hapi';
import { CHALLENGE_METHODS, CLIENT_AUTH_METHODS, GRANT_TYPES, OAUTH, RESOURCES, type Resource, WELL_KNOWN } from '../../contract/oauth.ts';
import { SCOPES } from '../../contract/scopes.ts';
import { TOOL_SCOPES } from '../../contract/tools.ts';
import { baseOf } from '../challenge.ts';
import { JSON_TYPE } from '../reply.ts';

/** `base` is the address without trailing slash; it is the issuer. */
export function authorizationServer(base: string) {
  const confidential = CLIENT_AUTH_METHODS.filter((method) => method !== 'none');
  return {
    issuer: base,
    authorization_endpoint: base + OAUTH.authorize,
    token_endpoint: base + OAUTH.token,
    revocation_endpoint: base + OAUTH.revoke,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    code_challenge_methods_supported: CHALLENGE_METHODS,
    token_endpoint_auth_methods_supported: [...confidential, 'none'],
    revocation_endpoint_auth_methods_supported: [...confidential, 'none'],
    scopes_supported: SCOPES,
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${base}/docs`,
  };
}

export function protectedResource(base: string, resource: Resource) {
  return {
    resource: base + resource,
    authorization_servers: [base],
    // Clients of the tools ask for everything that stands here.
    scopes_supported: resource === '/mcp' ? TOOL_SCOPES : SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: resource === '/mcp' ? 'stockroom tools' : 'stockroom',
    resource_documentation: `${base}/docs`,
  };
}

/** Public, without rate limit. They name the address by which they were asked for, so nobody may keep them for another. */
export function addMetadata(server: Server): void {
  const documents = [
    { path: WELL_KNOWN.authorizationServer, of: authorizationServer },
    ...RESOURCES.map((resource) => ({
      path: WELL_KNOWN.protectedResource + resource,
      of: (base: string) => protectedResource(base, resource),
    })),
  ];
  for (const { path, of } of documents) {
    server.route({
      method: 'GET',
      path,
      handler: (request, h) =>
        h
          .response(JSON.stringify(of(baseOf(request))))
          .type(JSON_TYPE)
          .header('vary', 'host'),
    });
  }
}
