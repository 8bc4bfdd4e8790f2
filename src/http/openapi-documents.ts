/** The OpenAPI documents, without authentication. Built on the first request, so that a start of the daemon does not wait for them. A-8. */
import type { Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import { DOCUMENT_PATHS } from '../contract/openapi/document-paths.ts';
import { JSON_TYPE } from './response/reply.ts';

export function addOpenApiRoutes(server: Server): void {
  // Nearly all requests use the same base URL.
  let latest: { readonly baseUrl: string; readonly text: string } | undefined;
  server.route({
    method: 'GET',
    path: DOCUMENT_PATHS.api,
    handler: async (request, h) => {
      const baseUrl = getBaseUrl(request);
      if (latest?.baseUrl !== baseUrl) {
        const { buildApiDocument } = await import('../contract/openapi/api-document.ts');
        latest = { baseUrl, text: JSON.stringify(buildApiDocument(baseUrl)) };
      }
      return toJsonResponse(h, latest.text);
    },
  });
  let webhooks: string | undefined;
  server.route({
    method: 'GET',
    path: DOCUMENT_PATHS.webhooks,
    handler: async (_request, h) => {
      const { buildWebhooksDocument } = await import('../contract/openapi/webhooks-document.ts');
      return toJsonResponse(h, (webhooks ??= JSON.stringify(buildWebhooksDocument())));
    },
  });
}

const toJsonResponse = (h: ResponseToolkit, text: string): ResponseObject => h.response(text).type(JSON_TYPE);

/** The base URL that the client used, so that a page served under another host name calls its own origin. `checkHost` has checked it. */
const getBaseUrl = ({ info, server }: Request): string => `${server.info.protocol}://${info.host}`;
