/** May this caller use this operation: scope first, then plan. Contract part 5; decisions-api §2. */
import type { Caller } from '../api/call.ts';
import type { Operation } from '../contract/operation.ts';
import { planCovers } from '../contract/scopes.ts';
import { StockroomError } from '../domain/errors.ts';

/** Throws SCOPE_REQUIRED or PLAN_REQUIRED. */
export function permit({ key, tenant }: Caller, op: Operation): void {
  const { scope, plan } = op;
  if (scope !== null && !key.scopes.includes(scope)) {
    throw new StockroomError('SCOPE_REQUIRED', `This key lacks the scope ${scope}.`, {
      details: { requiredScope: scope },
      headers: { 'www-authenticate': `Bearer realm="stockroom", error="insufficient_scope", scope="${scope}"` },
    });
  }
  if (plan !== undefined && !planCovers(tenant.plan, plan)) {
    throw new StockroomError('PLAN_REQUIRED', `This needs the plan ${plan}; the organization is on ${tenant.plan}.`, {
      details: { requiredPlan: plan },
    });
  }
}

/** Whether the caller could use the operation at all: what the capability catalog lists. */
export const mayUse = ({ key, tenant }: Caller, op: Operation): boolean =>
  (op.scope === null || key.scopes.includes(op.scope)) && (op.plan === undefined || planCovers(tenant.plan, op.plan));
