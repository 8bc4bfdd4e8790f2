/** The description of the API: OpenAPI 3.0.3, made from the contract. decisions-api §8. */
import { OPERATIONS } from '../index.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { Operation } from '../operation.ts';
import { collectSchemas } from './components.ts';
import { ABOUT_API, DOCUMENT_VERSION, LICENCE, TAGS } from './info.ts';
import { parameters, pathsOf } from './paths.ts';
import { collectReplies, headers } from './replies.ts';
import { securitySchemes } from './security.ts';

/** `baseUrl` is where the service answers, without a slash at the end. */
export function apiDocument(baseUrl: string, operations: readonly Operation[] = OPERATIONS): JsonSchema {
  const components = collectSchemas('openapi-3.0');
  const replies = collectReplies(operations, components);
  const paths = pathsOf(operations, components, replies);
  return {
    openapi: '3.0.3',
    info: { title: 'Stockroom API', version: DOCUMENT_VERSION, description: ABOUT_API, license: { name: LICENCE.name, url: LICENCE.url } },
    servers: [{ url: baseUrl }],
    tags: Object.values(TAGS),
    paths,
    components: {
      schemas: components.schemas(),
      responses: replies.responses(),
      parameters,
      headers,
      securitySchemes: securitySchemes(baseUrl),
    },
  };
}
