/** What a caller can use: by scope of the key, by plan of the tenant. Contract part 5. */
import type { Operation } from '../contract/operation.ts';
import { planCovers } from '../contract/scopes.ts';
import type { ApiKeyRecord } from './keys.ts';
import type { TenantRecord } from './tenants.ts';

export const hasScope = (key: ApiKeyRecord, { scope }: Pick<Operation, 'scope'>): boolean => scope === null || key.scopes.includes(scope);

export const hasPlan = (tenant: TenantRecord, { plan }: Pick<Operation, 'plan'>): boolean =>
  plan === undefined || planCovers(tenant.plan, plan);
