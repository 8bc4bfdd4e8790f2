/** What a caller may use: the scopes of its key and the plan of its tenant. C-5. */
import type { Operation } from '../../contract/operation.ts';
import { includesPlan } from '../../contract/scopes.ts';
import type { ApiKeyRecord } from './records.ts';
import type { TenantRecord } from '../kernel/tenant.ts';

export const hasScope = (key: ApiKeyRecord, { scope }: Pick<Operation, 'scope'>): boolean => scope === null || key.scopes.includes(scope);

export const hasPlan = (tenant: TenantRecord, { plan }: Pick<Operation, 'plan'>): boolean =>
  plan === undefined || includesPlan(tenant.plan, plan);
