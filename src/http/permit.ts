/** May this caller use this operation: application first, then scope, then plan. Contract part 5; decisions-api §2, §6.6. */
import type { Request } from '@hapi/hapi';
import type { Caller } from '../api/call.ts';
import type { Operation } from '../contract/operation.ts';
import { hasPlan, hasScope } from '../domain/access.ts';
import { StockroomError } from '../domain/errors.ts';
import { challenge, resourceOf } from './challenge.ts';

/** Throws APPLICATION_DISABLED, SCOPE_REQUIRED or PLAN_REQUIRED. */
export function permit({ key, tenant, disabled }: Caller, op: Operation, request: Request): void {
  if (disabled !== undefined) throw new StockroomError('APPLICATION_DISABLED', disabled);
  const { scope } = op;
  if (scope !== null && !hasScope(key, op)) {
    throw new StockroomError('SCOPE_REQUIRED', `This key lacks the scope ${scope}.`, {
      details: { requiredScope: scope },
      headers: { 'www-authenticate': challenge(request, resourceOf(request.path), { error: 'insufficient_scope', scope }) },
    });
  }
  const plan = String(op.plan);
  if (!hasPlan(tenant, op)) {
    throw new StockroomError('PLAN_REQUIRED', `This needs the plan ${plan}; the organization is on ${tenant.plan}.`, {
      details: { requiredPlan: plan },
    });
  }
}
