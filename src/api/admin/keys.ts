import type { ApiKey, keyOperations } from '../../contract/admin/keys.ts';
import { type ApiKeyRecord, addKey, revokeKey } from '../../domain/keys.ts';
import { equal, pageQuery, paginationOf } from '../lists.ts';
import { type AdminHandlers, change, read } from './call.ts';

export const keyHandlers: AdminHandlers<typeof keyOperations> = {
  async 'keys.list'(call) {
    const { query } = call;
    const revoked =
      query.is_revoked === undefined
        ? undefined
        : query.is_revoked
          ? { field: 'revokedAt', from: '' }
          : { field: 'revokedAt', equals: null };
    const { rows, total } = await read(call, (tx, tenant) => tx.apiKeys.page(pageQuery(query, [equal('tenantId', tenant.id), revoked])));
    return { data: rows.map(present), pagination: paginationOf(query, total) };
  },
  async 'keys.create'(call) {
    const tiers = [...call.plane.limiter.tiers().keys()];
    const { key, secret } = await change(call, (tx, context) => addKey(tx, context, call.body, tiers));
    return { data: present(key), secret };
  },
  async 'keys.revoke'(call) {
    return { data: present(await change(call, (tx, context) => revokeKey(tx, context, call.params.key))) };
  },
};

/** Without hash, and without what belongs to applications. */
function present(key: ApiKeyRecord): ApiKey {
  const { id, prefix, name, scopes, environment, rateLimitTier, applicationId, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  return { id, prefix, name, scopes, environment, rateLimitTier, applicationId, createdAt, expiresAt, revokedAt, lastUsedAt };
}
