/** Who is calling: the key and its tenant. Contract part 2: snake_case inside `data`. */
import { one, operation } from './operation.ts';
import { t } from './schema.ts';
import { ENVIRONMENTS, PLANS, SCOPES } from './scopes.ts';

export const authContext = t.about(
  t.object({
    tenant: t.object({ id: t.uuid(), plan: t.enums(PLANS) }),
    api_key: t.object({
      id: t.uuid(),
      prefix: t.string(),
      environment: t.nullable(t.enums(ENVIRONMENTS)),
      scopes: t.array(t.enums(SCOPES)),
      rate_limit_tier: t.string(),
      expires_at: t.nullable(t.timestamp()),
    }),
  }),
  { name: 'AuthContext' },
);

export const getAuthContext = operation({
  id: 'auth.context',
  method: 'GET',
  path: '/v1/auth/context',
  scope: null,
  summary: 'Read what the key is and may do',
  status: 200,
  result: one(authContext),
});

export const authContextOperations = [getAuthContext] as const;
