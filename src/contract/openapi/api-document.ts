/** The OpenAPI 3.0.3 document of the API, generated from the contract. A-8. */
import { OPERATIONS } from '../index.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { Operation } from '../operation.ts';
import { collectSchemas } from './components.ts';
import { API_DESCRIPTION, DOCUMENT_VERSION, LICENSE, TAGS, getTagName } from './info.ts';
import { parameters, buildPaths } from './paths.ts';
import { collectResponses, headers } from './responses.ts';
import { buildSecuritySchemes } from './security.ts';

/** Builds the document for a service at `baseUrl`, which has no trailing slash. */
export function buildApiDocument(baseUrl: string, operations: readonly Operation[] = OPERATIONS): JsonSchema {
  const components = collectSchemas('openapi-3.0');
  const responses = collectResponses(operations, components);
  const paths = buildPaths(operations, baseUrl, components, responses);
  const text = JSON.stringify(paths);
  const used = new Set(operations.map(({ id }) => getTagName(id)));
  return {
    openapi: '3.0.3',
    info: {
      title: 'Stockroom API',
      version: DOCUMENT_VERSION,
      description: API_DESCRIPTION,
      license: { name: LICENSE.name, url: LICENSE.url },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Map(Object.values(TAGS).map((tag) => [tag.name, tag])).values()].filter(({ name }) => used.has(name)),
    paths,
    components: {
      schemas: components.schemas(),
      responses: responses.listShared(),
      parameters: Object.fromEntries(Object.entries(parameters).filter(([name]) => text.includes(`#/components/parameters/${name}"`))),
      headers,
      securitySchemes: buildSecuritySchemes(baseUrl),
    },
  };
}
