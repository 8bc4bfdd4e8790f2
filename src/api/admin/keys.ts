/** Admin handlers of API keys. */
import type { ApiKey, keyOperations } from '../../contract/admin/keys.ts';
import { addKey, revokeKey, rotateKey } from '../../domain/tenancy/api-keys.ts';
import type { ApiKeyRecord } from '../../domain/tenancy/records.ts';
import { whereEquals, toPageQuery, toPagination } from '../pagination.ts';
import { type AdminHandlers, changeTenant, readTenant } from './handler.ts';

export const keyHandlers: AdminHandlers<typeof keyOperations> = {
  async 'keys.list'(call) {
    const { query } = call;
    const whereRevoked =
      query.is_revoked === undefined
        ? undefined
        : query.is_revoked
          ? { field: 'revokedAt', from: '' }
          : { field: 'revokedAt', equals: null };
    const { rows, total } = await readTenant(call, (tx, tenant) =>
      tx.apiKeys.listPage(toPageQuery(query, [whereEquals('tenantId', tenant.id), whereRevoked])),
    );
    return { data: rows.map(presentKey), pagination: toPagination(query, total) };
  },
  async 'keys.create'(call) {
    const tiers = [...call.services.limiter.tiers().keys()];
    const { key, secret } = await changeTenant(call, (tx, context) => addKey(tx, context, call.body, tiers));
    return { data: presentKey(key), secret };
  },
  async 'keys.rotate'(call) {
    const { key, secret } = await changeTenant(call, (tx, context) => rotateKey(tx, context, call.params.key));
    return { data: presentKey(key), secret };
  },
  async 'keys.revoke'(call) {
    return { data: presentKey(await changeTenant(call, (tx, context) => revokeKey(tx, context, call.params.key))) };
  },
};

/** An API key in responses, without its hash and OAuth fields. */
function presentKey(key: ApiKeyRecord): ApiKey {
  const { id, prefix, name, scopes, environment, rateLimitTier, applicationId, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  return { id, prefix, name, scopes, environment, rateLimitTier, applicationId, createdAt, expiresAt, revokedAt, lastUsedAt };
}
