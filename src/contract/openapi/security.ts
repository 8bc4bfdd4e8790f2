/** How a caller proves who it is. Contract part 5. */
import { API_KEY, headerName } from '../headers.ts';
import type { JsonSchema } from '../json-schema.ts';
import { OAUTH } from '../oauth.ts';
import type { Operation } from '../operation.ts';
import { scopes } from '../scopes.ts';

export const securitySchemes = (baseUrl: string): JsonSchema => ({
  apiKey: { type: 'apiKey', in: 'header', name: headerName(API_KEY), description: 'A key of the tenant, `pk_test_…` or `pk_live_…`.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same key, or an access token of OAuth.' },
  oauth2: {
    type: 'oauth2',
    description:
      'For approved partner applications. PKCE (S256) is required; an access token is a key of the tenant that is limited to the granted scopes.',
    flows: {
      authorizationCode: { authorizationUrl: baseUrl + OAUTH.authorize, tokenUrl: baseUrl + OAUTH.token, scopes },
      clientCredentials: { tokenUrl: baseUrl + OAUTH.token, scopes },
    },
  },
});

/** Any one of them will do. Only OAuth can say in OpenAPI 3.0 which scope is meant; it is the same for keys. */
export const securityOf = ({ scope }: Operation): readonly JsonSchema[] => [
  { apiKey: [] },
  { bearer: [] },
  { oauth2: scope === null ? [] : [scope] },
];
