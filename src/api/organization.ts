/** Handler of GET /v1/organization: the tenant of the API key. */
import type { organizationOperations } from '../contract/resources/organization.ts';
import type { Handlers } from './handler.ts';

export const organizationHandlers: Handlers<typeof organizationOperations> = {
  async 'organization.get'({ caller }) {
    const { id, name, slug, plan, createdAt } = caller.tenant;
    return Promise.resolve({ data: { id, name, slug, plan, createdAt } });
  },
};
