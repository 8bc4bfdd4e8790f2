/** Rate-limit tiers of the whole service. Contract part 8. */
import { TIER_MAX_PER_MINUTE, TIER_NAME_MAX_CHARS } from '../limits.ts';
import { one, operation } from '../operation.ts';
import { t } from '../schema.ts';

export const tierName = () =>
  t.string({
    min: 1,
    max: TIER_NAME_MAX_CHARS,
    pattern: '^[a-z0-9][a-z0-9_-]*$',
    hint: 'lower-case letters, digits, - and _, such as standard',
  });

const requestsPerMinute = () => t.int({ min: 1, max: TIER_MAX_PER_MINUTE });

export const tier = t.object({ name: t.string(), requestsPerMinute: t.int({ min: 0 }) });

export const listTiers = operation({
  id: 'tiers.list',
  method: 'GET',
  path: '/admin/tiers',
  scope: null,
  summary: 'List the tiers in force, by name',
  status: 200,
  result: t.object({ data: t.array(tier) }),
});

export const setTier = operation({
  id: 'tiers.set',
  method: 'PATCH',
  path: '/admin/tiers/{tier}',
  scope: null,
  summary: 'Make or change a tier; it is in force at once and after restarts',
  params: t.object({ tier: tierName() }),
  body: t.object({ requestsPerMinute: requestsPerMinute() }),
  status: 200,
  result: one(tier),
  example: { params: { tier: 'elevated' }, body: { requestsPerMinute: 1200 } },
});

export const tierOperations = [listTiers, setTier] as const;
