/** Whether a caller may use an operation: checks the application first, then the scope, then the plan. C-5. */
import type { Request } from '@hapi/hapi';
import type { Caller } from '../../api/handler.ts';
import type { Operation } from '../../contract/operation.ts';
import { hasPlan, hasScope } from '../../domain/tenancy/access.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { buildChallenge, toResource } from '../auth-challenge.ts';

/** Throws APPLICATION_DISABLED or UNAUTHENTICATED for a disabled application, SCOPE_REQUIRED or PLAN_REQUIRED. */
export function authorize(request: Request, caller: Caller, op: Operation): undefined {
  checkAccess(caller, op, (details) => ({ 'www-authenticate': buildChallenge(request, toResource(request.path), details) }));
}

type Challenge = NonNullable<Parameters<typeof buildChallenge>[2]>;

/** The same without a request; `challenge` returns the headers of a rejection. */
export function checkAccess(
  { key, tenant, disabled }: Pick<Caller, 'key' | 'tenant' | 'disabled'>,
  op: Operation,
  challenge: (details: Challenge) => Readonly<Record<string, string>> = () => ({}),
): undefined {
  if (disabled !== undefined) {
    if (op.disabledApplicationStatus === undefined) throw new StockroomError('APPLICATION_DISABLED', disabled);
    throw new StockroomError('UNAUTHENTICATED', disabled, { headers: challenge({ error: 'invalid_token' }) });
  }
  const { scope } = op;
  if (scope !== null && !hasScope(key, op)) {
    throw new StockroomError('SCOPE_REQUIRED', `The API key lacks the scope ${scope}.`, {
      details: { requiredScope: scope },
      headers: challenge({ error: 'insufficient_scope', scopes: [...key.scopes, scope] }),
    });
  }
  const plan = String(op.plan);
  if (!hasPlan(tenant, op)) {
    throw new StockroomError('PLAN_REQUIRED', `This operation requires the ${plan} plan; the organization has the ${tenant.plan} plan.`, {
      details: { requiredPlan: plan },
    });
  }
}
