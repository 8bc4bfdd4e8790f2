/** The calling key and its tenant. C-2: snake_case inside `data`. */
import { single, defineOperation } from '../operation.ts';
import { t } from '../schema/builder.ts';
import { ENVIRONMENTS, PLANS, SCOPES } from '../scopes.ts';

export const authContext = t.component('AuthContext', {
  tenant: t.object({ id: t.uuid(), plan: t.enums(PLANS) }),
  api_key: t.object({
    id: t.uuid(),
    prefix: t.string(),
    environment: t.nullable(t.enums(ENVIRONMENTS)),
    scopes: t.array(t.enums(SCOPES)),
    rate_limit_tier: t.string(),
    expires_at: t.nullable(t.timestamp()),
  }),
});

export const getAuthContext = defineOperation('auth.context', 'GET', '/v1/auth/context', {
  scope: null,
  summary: 'Get the current key, its tenant and its scopes',
  disabledApplicationStatus: 401,
  result: single(authContext),
});

export const authContextOperations = [getAuthContext] as const;
