/** Admin handlers of pending OAuth consents and login codes. */
import type { oauthOperations } from '../../contract/admin/oauth.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { createLoginCode } from '../../domain/oauth/login-codes.ts';
import { listWaitingConsents } from '../../domain/oauth/pending-consents.ts';
import type { PendingConsentRecord } from '../../domain/oauth/records.ts';
import { type DecidedConsent, allowConsent, denyConsent } from '../consents.ts';
import { type AdminHandlers, resolveTenant, createOrigin } from './handler.ts';

export const oauthHandlers: AdminHandlers<typeof oauthOperations> = {
  async 'oauth.requests'({ services: { store, clock } }) {
    const waiting = await store.read('', (tx) => listWaitingConsents(tx, clock.now()));
    return { data: waiting.map(presentPendingConsent) };
  },
  async 'oauth.approve'({ services, params, query, requestId }) {
    const tenant = await resolveTenant(services, query.tenant);
    if (!tenant.isActive) throw new StockroomError('INVALID_STATE', `Tenant ${tenant.slug} is not active. Activate it first.`);
    return presentDecision(await allowConsent(services.store, params.request, tenant, createOrigin(requestId)));
  },
  'oauth.deny': async ({ services, params }) => presentDecision(await denyConsent(services.store, params.request)),
  async 'oauth.login'({ services }) {
    const { code, expiresAt } = await services.store.transact('', createLoginCode);
    return { data: { expiresAt }, code };
  },
};

const presentDecision = ({ request, decision, redirectTo }: DecidedConsent) => ({
  data: { ...presentPendingConsent(request), tenant: decision.tenant, redirectTo },
});

function presentPendingConsent({ id, applicationId, applicationName, redirectUri, scopes, createdAt, expiresAt }: PendingConsentRecord) {
  const application = { id: applicationId, name: applicationName };
  return { id, application, redirectHost: new URL(redirectUri).host, scopes, createdAt, expiresAt };
}
