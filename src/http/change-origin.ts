import type { ChangeOrigin } from '../domain/kernel/context.ts';
import type { Actor } from '../domain/kernel/tenant.ts';
import { getClientAddress } from './forwarded.ts';
import type { OperationRequest } from './steps/operation-request.ts';

/** What the audit trail says of a change by this request. */
export const createOrigin = ({ app, info }: Pick<OperationRequest, 'app' | 'info'>, type: Actor['type'], id: string): ChangeOrigin => ({
  actor: { type, id },
  requestId: app.requestId,
  ipAddress: getClientAddress({ app, info }),
});
