/** The organization profile of the tenant. C-2. */
import { extension, single, defineOperation } from '../operation.ts';
import { t } from '../schema/builder.ts';
import { PLANS } from '../scopes.ts';

export const organization = t.component('Organization', {
  id: t.uuid(),
  name: t.string(),
  slug: t.string(),
  plan: t.enums(PLANS),
  currency: extension(t.string(), 'ISO 4217.'),
  timezone: extension(t.string(), 'IANA name.'),
  eventRetention: extension(
    t.object({ days: t.int({ min: 1 }), maxEvents: t.int({ min: 1 }) }),
    'How long `GET /v1/events` keeps events, and how many at most.',
  ),
  createdAt: t.timestamp(),
});

export const getOrganization = defineOperation('organization.get', 'GET', '/v1/organization', {
  scope: 'organization:read',
  summary: 'Get the organization profile of the tenant',
  result: single(organization),
});

export const organizationOperations = [getOrganization] as const;
