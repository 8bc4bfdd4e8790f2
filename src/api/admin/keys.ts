/** Admin handlers of API keys. */
import type { ApiKey, keyOperations } from '../../contract/admin/keys.ts';
import { addKey, revokeKey, rotateKey, updateKey } from '../../domain/tenancy/api-keys.ts';
import type { ApiKeyRecord } from '../../domain/tenancy/records.ts';
import { whereEquals, toPageQuery, toPagination } from '../lists/pagination.ts';
import { type AdminHandlers, readTenant, writeTenant } from './handler.ts';

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
    return { data: rows.map((key) => presentKey(key, call.services.clock.now(key.tenantId))), pagination: toPagination(query, total) };
  },
  async 'keys.create'(call) {
    const tiers = [...call.services.limiter.listTiers().keys()];
    return writeTenant(call, async (tx, context) => {
      const { key, secret } = await addKey(tx, context, call.body, tiers);
      return { data: presentKey(key, context.now), secret };
    });
  },
  async 'keys.update'(call) {
    const tiers = [...call.services.limiter.listTiers().keys()];
    return writeTenant(call, async (tx, context) => ({
      data: presentKey(await updateKey(tx, context, call.params.key, call.body, tiers), context.now),
    }));
  },
  async 'keys.rotate'(call) {
    return writeTenant(call, async (tx, context) => {
      const { key, secret } = await rotateKey(tx, context, call.params.key);
      return { data: presentKey(key, context.now), secret };
    });
  },
  async 'keys.revoke'(call) {
    return writeTenant(call, async (tx, context) => ({
      data: presentKey(await revokeKey(tx, context, call.params.key), context.now),
    }));
  },
};

/** An API key in responses, without its hash and OAuth fields. */
function presentKey(key: ApiKeyRecord, now: Date): ApiKey {
  const { id, prefix, name, scopes, environment, rateLimitTier, applicationId, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  const status = getKeyStatus(key, now);
  return { id, prefix, name, status, scopes, environment, rateLimitTier, applicationId, createdAt, expiresAt, revokedAt, lastUsedAt };
}

function getKeyStatus({ revokedAt, expiresAt, replacedBy }: ApiKeyRecord, now: Date): ApiKey['status'] {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && Date.parse(expiresAt) <= now.getTime()) return 'expired';
  return replacedBy === undefined || replacedBy === null ? 'active' : 'replaced';
}
