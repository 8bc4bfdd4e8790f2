/** Authentication of API clients. C-5. */
import { API_KEY, formatHeaderName } from '../headers.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { OAUTH } from '../oauth.ts';
import type { Operation } from '../operation.ts';
import { scopes } from '../scopes.ts';

export const buildSecuritySchemes = (baseUrl: string): JsonSchema => ({
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: formatHeaderName(API_KEY),
    description: 'API key of the tenant, `pk_test_…` or `pk_live_…`.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'API key or OAuth access token.' },
  oauth2: {
    type: 'oauth2',
    description:
      'For approved partner applications. PKCE (S256) is required. An access token is a key of the tenant, limited to the granted scopes.',
    flows: {
      authorizationCode: { authorizationUrl: baseUrl + OAUTH.authorize, tokenUrl: baseUrl + OAUTH.token, scopes },
      clientCredentials: { tokenUrl: baseUrl + OAUTH.token, scopes },
    },
  },
});

/** Alternatives, any of which suffices. OpenAPI 3.0 can list scopes only for OAuth; keys need the same scope. */
export const buildSecurity = ({ scope }: Operation): readonly JsonSchema[] => [
  { apiKey: [] },
  { bearer: [] },
  { oauth2: scope === null ? [] : [scope] },
];
