/** Requests of the billing period and the rate window of the key. Contract part 2: snake_case inside `data`. */
import { one, operation } from './operation.ts';
import { t } from './schema.ts';

export const BILLING_PERIODS = ['monthly', 'yearly'] as const;

const count = () => t.int({ min: 0 });

export const usageSummary = t.about(
  t.object({
    billing_period: t.object({ start: t.date(), end: t.date(), kind: t.enums(BILLING_PERIODS) }),
    requests: t.object({ total: count(), by_capability: t.array(t.object({ capability: t.string(), count: count() })) }),
    rate_limit: t.object({
      tier: t.string(),
      enforcement: t.enums(['enforced']),
      limit_per_minute: count(),
      remaining_per_minute: t.nullable(count()),
    }),
    api_key: t.object({ id: t.uuid(), prefix: t.string() }),
  }),
  { name: 'UsageSummary' },
);

export const getUsage = operation({
  id: 'usage.get',
  method: 'GET',
  path: '/v1/usage',
  scope: 'usage:read',
  summary: 'Read the usage summary and the state of the rate limit',
  description: 'Requests of the whole tenant in the present billing period, this one included, by capability of the catalog.',
  status: 200,
  result: one(usageSummary),
});

export const usageOperations = [getUsage] as const;
