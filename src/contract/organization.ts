/** The organization profile of the tenant. Contract part 2. */
import { one, operation } from './operation.ts';
import { t } from './schema.ts';
import { PLANS } from './scopes.ts';

export const organization = t.about(
  t.object({ id: t.uuid(), name: t.string(), slug: t.string(), plan: t.enums(PLANS), createdAt: t.timestamp() }),
  { name: 'Organization' },
);

export const getOrganization = operation({
  id: 'organization.get',
  method: 'GET',
  path: '/v1/organization',
  scope: 'organization:read',
  summary: 'Read the organization profile',
  status: 200,
  result: one(organization),
});

export const organizationOperations = [getOrganization] as const;
