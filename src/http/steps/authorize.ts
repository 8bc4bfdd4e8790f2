/** Whether a caller may use an operation: checks the application first, then the scope, then the plan. C-5. */
import type { Request } from '@hapi/hapi';
import type { Caller } from '../../api/handler.ts';
import type { Operation } from '../../contract/operation.ts';
import { hasPlan, hasScope } from '../../domain/tenancy/access.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { buildChallenge, toResource } from '../auth-challenge.ts';

/** Throws APPLICATION_DISABLED or UNAUTHENTICATED for a disabled application, SCOPE_REQUIRED or PLAN_REQUIRED. */
export function authorize(request: Request, { key, tenant, disabled }: Caller, op: Operation): undefined {
  if (disabled !== undefined) {
    if (op.disabledApplicationStatus === undefined) throw new StockroomError('APPLICATION_DISABLED', disabled);
    const challenge = buildChallenge(request, toResource(request.path), { error: 'invalid_token' });
    // A 401 never states the rate limit of a key.
    delete request.app.rate;
    throw new StockroomError('UNAUTHENTICATED', disabled, { headers: { 'www-authenticate': challenge } });
  }
  const { scope } = op;
  if (scope !== null && !hasScope(key, op)) {
    throw new StockroomError('SCOPE_REQUIRED', `The API key lacks the scope ${scope}.`, {
      details: { requiredScope: scope },
      headers: { 'www-authenticate': buildChallenge(request, toResource(request.path), { error: 'insufficient_scope', scope }) },
    });
  }
  const plan = String(op.plan);
  if (!hasPlan(tenant, op)) {
    throw new StockroomError('PLAN_REQUIRED', `This operation requires the plan ${plan}; the organization has ${tenant.plan}.`, {
      details: { requiredPlan: plan },
    });
  }
}
