import type { organizationOperations } from '../contract/organization.ts';
import type { Handlers } from './call.ts';

export const organizationHandlers: Handlers<typeof organizationOperations> = {
  async 'organization.get'({ caller }) {
    const { id, name, slug, plan, createdAt } = caller.tenant;
    return Promise.resolve({ data: { id, name, slug, plan, createdAt } });
  },
};
