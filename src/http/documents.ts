/** The published descriptions, open to everybody and made when somebody asks: a start of the daemon does not wait for them. decisions-api §8. */
import type { Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import { DOCUMENT_PATHS } from '../contract/openapi/places.ts';
import { JSON_TYPE } from './reply.ts';

export function addDocuments(server: Server): void {
  // One address is asked for nearly always.
  let latest: { readonly baseUrl: string; readonly text: string } | undefined;
  server.route({
    method: 'GET',
    path: DOCUMENT_PATHS.api,
    handler: async (request, h) => {
      const baseUrl = baseUrlOf(request);
      if (latest?.baseUrl !== baseUrl) {
        const { apiDocument } = await import('../contract/openapi/document.ts');
        latest = { baseUrl, text: JSON.stringify(apiDocument(baseUrl)) };
      }
      return json(h, latest.text);
    },
  });
  let webhooks: string | undefined;
  server.route({
    method: 'GET',
    path: DOCUMENT_PATHS.webhooks,
    handler: async (_request, h) => {
      const { webhooksDocument } = await import('../contract/openapi/webhooks.ts');
      return json(h, (webhooks ??= JSON.stringify(webhooksDocument())));
    },
  });
}

const json = (h: ResponseToolkit, text: string): ResponseObject => h.response(text).type(JSON_TYPE);

/** The address that the caller used, so that a page under another name of this machine calls its own origin. `checkHost` has seen it. */
const baseUrlOf = ({ info, server }: Request): string => `${server.info.protocol}://${info.host}`;
