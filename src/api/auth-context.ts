/** Handler of GET /v1/auth/context: the tenant and the API key of the request. */
import type { authContextOperations } from '../contract/resources/auth-context.ts';
import type { Handlers } from './handler.ts';

export const authContextHandlers: Handlers<typeof authContextOperations> = {
  'auth.context'({ caller: { key, tenant } }) {
    return {
      data: {
        tenant: { id: tenant.id, plan: tenant.plan },
        api_key: {
          id: key.id,
          prefix: key.prefix,
          environment: key.environment,
          scopes: key.scopes,
          rate_limit_tier: key.rateLimitTier,
          expires_at: key.expiresAt,
        },
      },
    };
  },
};
