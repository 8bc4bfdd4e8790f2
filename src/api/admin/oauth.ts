import type { oauthOperations } from '../../contract/admin/oauth.ts';
import { StockroomError } from '../../domain/errors.ts';
import { type ConsentAnswer, type ConsentRequest, allowRequest, denyRequest } from '../consents.ts';
import { type AdminHandlers, type Plane, chosenTenant, contextOf } from './call.ts';

export const oauthHandlers: AdminHandlers<typeof oauthOperations> = {
  async 'oauth.requests'({ plane }) {
    return Promise.resolve({ data: plane.consents.waiting(plane.clock.now()).map(present) });
  },
  async 'oauth.approve'(call) {
    const { plane, params, query } = call;
    const tenant = await chosenTenant(plane, query.tenant);
    if (!tenant.isActive) throw new StockroomError('INVALID_STATE', `The tenant ${tenant.slug} is not active.`);
    return answered(plane, params.request, await allowRequest(placeOf(plane), params.request, tenant, contextOf(call)));
  },
  async 'oauth.deny'({ plane, params }) {
    return answered(plane, params.request, await denyRequest(placeOf(plane), params.request));
  },
  async 'oauth.login'({ plane }) {
    const { code, expiresAt } = plane.consents.loginCode(plane.clock.now());
    return Promise.resolve({ data: { expiresAt }, code });
  },
};

const placeOf = ({ consents, store, clock }: Plane) => ({ desk: consents, store, now: () => clock.now() });

function answered({ consents, clock }: Plane, id: string, { tenant, redirectTo }: ConsentAnswer) {
  const found = consents.find(id, clock.now());
  if (!found) throw new Error(`the answered request ${id} is gone`);
  return { data: { ...present(found.request), tenant, redirectTo } };
}

function present({ id, applicationId, applicationName, redirectUri, scopes, createdAt, expiresAt }: ConsentRequest) {
  const application = { id: applicationId, name: applicationName };
  return { id, application, redirectHost: new URL(redirectUri).host, scopes, createdAt, expiresAt };
}
