import type { tierOperations } from '../../contract/admin/tiers.ts';
import type { AdminHandlers } from './call.ts';

export const tierHandlers: AdminHandlers<typeof tierOperations> = {
  async 'tiers.list'({ plane }) {
    const tiers = [...plane.limiter.tiers()].sort(([a], [b]) => (a < b ? -1 : 1));
    return Promise.resolve({ data: tiers.map(([name, requestsPerMinute]) => ({ name, requestsPerMinute })) });
  },
  // ours: tiers belong to no tenant, so no tenant's audit trail has them.
  async 'tiers.set'({ plane, params: { tier: name }, body: { requestsPerMinute } }) {
    const updatedAt = plane.clock.now().toISOString();
    await plane.store.transact('', (tx) => tx.tiers.put({ id: name, requestsPerMinute, updatedAt }));
    plane.limiter.setTier(name, requestsPerMinute);
    return { data: { name, requestsPerMinute } };
  },
};
