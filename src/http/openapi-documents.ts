/** The OpenAPI documents, without authentication. Built on the first request, so that a start of the daemon does not wait for them. A-8. */
import type { ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import { DOCUMENT_PATHS } from '../contract/openapi/document-paths.ts';
import type { Operation } from '../contract/operation.ts';
import { getBaseUrl } from './base-url.ts';
import { JSON_TYPE } from './response/reply.ts';

export function addOpenApiRoutes(server: Server, operations: readonly Operation[]): void {
  // Nearly all requests use the same base URL.
  let latest: { readonly baseUrl: string; readonly text: string } | undefined;
  server.route({
    method: 'GET',
    path: DOCUMENT_PATHS.api,
    handler: async (request, h) => {
      const baseUrl = getBaseUrl(request);
      if (latest?.baseUrl !== baseUrl) {
        const { buildApiDocument } = await import('../contract/openapi/api-document.ts');
        latest = { baseUrl, text: JSON.stringify(buildApiDocument(baseUrl, operations)) };
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
