/** Requests in the billing period and the rate limit of the key. C-2: snake_case inside `data`. */
import { single, defineOperation } from '../operation.ts';
import { t } from '../schema/builder.ts';

export const BILLING_PERIODS = ['monthly', 'yearly'] as const;

const count = () => t.int({ min: 0 });

export const usageSummary = t.component('UsageSummary', {
  billing_period: t.object({ start: t.date(), end: t.date(), kind: t.enums(BILLING_PERIODS) }),
  requests: t.object({ total: count(), by_capability: t.array(t.object({ capability: t.string(), count: count() })) }),
  rate_limit: t.object({
    tier: t.string(),
    enforcement: t.enums(['enforced']),
    limit_per_minute: count(),
    remaining_per_minute: t.nullable(count()),
  }),
  api_key: t.object({ id: t.uuid(), prefix: t.string() }),
});

export const getUsage = defineOperation('usage.get', 'GET', '/v1/usage', {
  scope: 'usage:read',
  summary: 'Get API usage and the state of the rate limit',
  description: "Counts all requests of the tenant in the current billing period, including this one, by the catalog's capability ids.",
  result: single(usageSummary),
});

export const usageOperations = [getUsage] as const;
