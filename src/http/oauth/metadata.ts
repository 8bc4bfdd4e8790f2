/** Metadata documents: RFC 8414 of the authorization server, RFC 9728 of the resources that it protects.. */
import type { Server } from '@hapi/hapi';
import { CHALLENGE_METHODS, CLIENT_AUTH_METHODS, GRANT_TYPES, OAUTH, RESOURCES, type Resource, WELL_KNOWN } from '../../contract/oauth.ts';
import { SCOPES } from '../../contract/scopes.ts';
import { TOOL_SCOPES } from '../../contract/mcp-tools.ts';
import { getBaseUrl } from '../base-url.ts';
import { JSON_TYPE } from '../response/reply.ts';

/** `base` is the base URL of the service, without trailing slash. It is the issuer. */
export function buildAuthorizationServerMetadata(base: string, allowsRegistration: boolean) {
  const confidential = CLIENT_AUTH_METHODS.filter((method) => method !== 'none');
  return {
    issuer: base,
    authorization_endpoint: base + OAUTH.authorize,
    token_endpoint: base + OAUTH.token,
    revocation_endpoint: base + OAUTH.revoke,
    ...(allowsRegistration && { registration_endpoint: base + OAUTH.register, client_id_metadata_document_supported: true }),
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

export function buildProtectedResourceMetadata(base: string, resource: Resource) {
  return {
    resource: base + resource,
    authorization_servers: [base],
    // MCP clients request all scopes in this list.
    scopes_supported: resource === '/mcp' ? TOOL_SCOPES : SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: resource === '/mcp' ? 'stockroom tools' : 'stockroom',
    resource_documentation: `${base}/docs`,
  };
}

/** The documents are public, without rate limit. They contain the host name of the request, so they vary with it. */
export function addMetadataRoutes(server: Server, allowsRegistration: boolean): void {
  const documents = [
    { path: WELL_KNOWN.authorizationServer, build: (base: string) => buildAuthorizationServerMetadata(base, allowsRegistration) },
    ...RESOURCES.map((resource) => ({
      path: WELL_KNOWN.protectedResource + resource,
      build: (base: string) => buildProtectedResourceMetadata(base, resource),
    })),
  ];
  for (const { path, build } of documents) {
    server.route({
      method: 'GET',
      path,
      handler: (request, h) =>
        h
          .response(JSON.stringify(build(getBaseUrl(request))))
          .type(JSON_TYPE)
          .header('vary', 'host'),
    });
  }
}
