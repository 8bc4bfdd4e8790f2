/** May this caller use this operation: scope first, then plan. Contract part 5; decisions-api §2. */
import type { Caller } from '../api/call.ts';
import type { Operation } from '../contract/operation.ts';
import { hasPlan, hasScope } from '../domain/access.ts';
import { StockroomError } from '../domain/errors.ts';

/** Throws SCOPE_REQUIRED or PLAN_REQUIRED. */
export function permit({ key, tenant }: Caller, op: Operation): void {
  const scope = String(op.scope);
  if (!hasScope(key, op)) {
    throw new StockroomError('SCOPE_REQUIRED', `This key lacks the scope ${scope}.`, {
      details: { requiredScope: scope },
      headers: { 'www-authenticate': `Bearer realm="stockroom", error="insufficient_scope", scope="${scope}"` },
    });
  }
  const plan = String(op.plan);
  if (!hasPlan(tenant, op)) {
    throw new StockroomError('PLAN_REQUIRED', `This needs the plan ${plan}; the organization is on ${tenant.plan}.`, {
      details: { requiredPlan: plan },
    });
  }
}
