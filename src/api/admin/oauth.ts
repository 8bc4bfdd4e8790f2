/** Admin handlers of pending OAuth consents and login codes. */
import type { oauthOperations } from '../../contract/admin/oauth.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { type ConsentDecision, type PendingConsent, allowConsent, denyConsent } from '../consents.ts';
import { type AdminHandlers, type AdminServices, resolveTenant, createOrigin } from './handler.ts';

export const oauthHandlers: AdminHandlers<typeof oauthOperations> = {
  async 'oauth.requests'({ services }) {
    return Promise.resolve({ data: services.consents.listWaiting(services.clock.now()).map(presentPendingConsent) });
  },
  async 'oauth.approve'(call) {
    const { services, params, query } = call;
    const tenant = await resolveTenant(services, query.tenant);
    if (!tenant.isActive) throw new StockroomError('INVALID_STATE', `Tenant ${tenant.slug} is not active. Activate it first.`);
    return presentDecision(
      services,
      params.request,
      await allowConsent(toConsentServices(services), params.request, tenant, createOrigin(call.requestId)),
    );
  },
  async 'oauth.deny'({ services, params }) {
    return presentDecision(services, params.request, await denyConsent(toConsentServices(services), params.request));
  },
  async 'oauth.login'({ services }) {
    const { code, expiresAt } = services.consents.createLoginCode(services.clock.now());
    return Promise.resolve({ data: { expiresAt }, code });
  },
};

const toConsentServices = ({ consents, store, clock }: AdminServices) => ({ consents, store, now: () => clock.now() });

function presentDecision({ consents, clock }: AdminServices, id: string, { tenant, redirectTo }: ConsentDecision) {
  const decided = consents.find(id, clock.now());
  if (!decided) throw new Error(`the decided request ${id} does not exist`);
  return { data: { ...presentPendingConsent(decided.request), tenant, redirectTo } };
}

function presentPendingConsent({ id, applicationId, applicationName, redirectUri, scopes, createdAt, expiresAt }: PendingConsent) {
  const application = { id: applicationId, name: applicationName };
  return { id, application, redirectHost: new URL(redirectUri).host, scopes, createdAt, expiresAt };
}
