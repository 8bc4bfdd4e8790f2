/** Handler of GET /v1/organization: the tenant of the API key. */
import type { organizationOperations } from '../contract/resources/organization.ts';
import type { Handlers } from './handler.ts';

export const organizationHandlers: Handlers<typeof organizationOperations> = {
  'organization.get'({ caller, eventRetention: { days, maxRows } }) {
    const { id, name, slug, plan, currency, timezone, createdAt } = caller.tenant;
    const eventRetention = { days, maxEvents: maxRows };
    return { data: { id, name, slug, plan, currency, timezone, eventRetention, createdAt } };
  },
};
