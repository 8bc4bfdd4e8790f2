/** Handler of GET /v1/usage: request counts of the billing period and the rate limit. */
import type { usageOperations } from '../contract/resources/usage.ts';
import { getBillingPeriod, listUsage } from '../domain/tenancy/usage.ts';
import type { Handlers } from './handler.ts';

export const usageHandlers: Handlers<typeof usageOperations> = {
  async 'usage.get'({ tx, now, caller: { key, tenant }, meters }) {
    const period = getBillingPeriod(tenant.billingPeriod, now);
    const stored = await listUsage(tx, period);
    const counts = new Map(meters.getUnsavedUsage(tenant.id, period, stored));
    for (const { capability, count } of stored) counts.set(capability, (counts.get(capability) ?? 0) + count);
    const byCapability = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([capability, count]) => ({ capability, count }));
    const { limit, remaining } = meters.getRateWindow(key);
    return {
      data: {
        billing_period: { ...period, kind: tenant.billingPeriod },
        requests: { total: byCapability.reduce((sum, { count }) => sum + count, 0), by_capability: byCapability },
        rate_limit: { tier: key.rateLimitTier, enforcement: 'enforced', limit_per_minute: limit, remaining_per_minute: remaining },
        api_key: { id: key.id, prefix: key.prefix },
      },
    };
  },
};
