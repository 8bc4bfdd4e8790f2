/** The OAuth routes: consent pages, token and revocation endpoints, metadata documents. C-5. */
import type { Server } from '@hapi/hapi';
import { OAUTH } from '../../contract/oauth.ts';
import type { RequestServices } from '../request-services.ts';
import { toJsonHandler } from './json-endpoint.ts';
import { createAuthorizeHandler, handleConsentPage, handleDecision, withErrorPage } from './authorization-endpoint.ts';
import { findDocumentClient, findStoredClient } from './client-documents.ts';
import { CONSENT_PATH } from './consent-pages.ts';
import { addMetadataRoutes } from './metadata.ts';
import { handleRegistration } from './registration-endpoint.ts';
import { handleRevocation, handleTokenRequest } from './token-endpoint.ts';

/** `allowsRegistration`: whether applications may register themselves. */
export function addOAuthRoutes(server: Server, service: RequestServices, allowsRegistration: boolean): void {
  const findClient = allowsRegistration ? findDocumentClient(service) : findStoredClient(service);
  server.route([
    { method: 'GET', path: OAUTH.authorize, handler: withErrorPage(service, createAuthorizeHandler(findClient)) },
    { method: 'GET', path: CONSENT_PATH, handler: withErrorPage(service, handleConsentPage) },
    { method: 'POST', path: CONSENT_PATH, handler: withErrorPage(service, handleDecision) },
    { method: 'POST', path: OAUTH.token, handler: toJsonHandler(service, (request) => handleTokenRequest(service, request)) },
    { method: 'POST', path: OAUTH.revoke, handler: toJsonHandler(service, (request) => handleRevocation(service, request)) },
  ]);
  if (allowsRegistration) {
    const handler = toJsonHandler(service, (request) => handleRegistration(service, request), 201);
    server.route({ method: 'POST', path: OAUTH.register, handler });
  }
  addMetadataRoutes(server, allowsRegistration);
}
