/** Rate-limit tiers of the service. C-8. */
import { TIER_MAX_PER_MINUTE, TIER_NAME_MAX_CHARS } from '../limits.ts';
import { single, defineAdminOperation } from '../operation.ts';
import { t } from '../schema/builder.ts';

export const tierName = () =>
  t.string({
    min: 1,
    max: TIER_NAME_MAX_CHARS,
    pattern: '^[a-z0-9][a-z0-9_-]*$',
    hint: 'lowercase letters, digits, hyphens and underscores, such as standard',
  });

const requestsPerMinute = () => t.int({ min: 1, max: TIER_MAX_PER_MINUTE });

export const tier = t.object({ name: t.string(), requestsPerMinute: t.int({ min: 0 }) });

export const listTiers = defineAdminOperation('tiers.list', 'GET', '/admin/tiers', {
  summary: 'List rate-limit tiers',
  result: t.object({ data: t.array(tier) }),
});

export const setTier = defineAdminOperation('tiers.set', 'PATCH', '/admin/tiers/{tier}', {
  summary: 'Create or update a rate-limit tier',
  description: 'Takes effect immediately and persists across restarts.',
  params: t.object({ tier: t.annotate(tierName(), { description: 'Name of the tier.' }) }),
  body: t.object({ requestsPerMinute: requestsPerMinute() }),
  result: single(tier),
  example: { params: { tier: 'elevated' }, body: { requestsPerMinute: 1200 } },
});

export const tierOperations = [listTiers, setTier] as const;
