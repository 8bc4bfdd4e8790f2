/** Admin handlers of rate-limit tiers. */
import type { tierOperations } from '../../contract/admin/tiers.ts';
import type { AdminHandlers } from './handler.ts';

export const tierHandlers: AdminHandlers<typeof tierOperations> = {
  'tiers.list'({ services }) {
    const tiers = [...services.limiter.listTiers()].sort(([a], [b]) => (a < b ? -1 : 1));
    return { data: tiers.map(([name, requestsPerMinute]) => ({ name, requestsPerMinute })) };
  },
  // Tiers belong to no tenant, so no audit trail records their changes.
  async 'tiers.set'({ services, params: { tier: name }, body: { requestsPerMinute } }) {
    await services.store.transact('', (tx) => tx.tiers.put({ id: name, requestsPerMinute, updatedAt: tx.now.toISOString() }));
    services.limiter.setTier(name, requestsPerMinute);
    return { data: { name, requestsPerMinute } };
  },
};
