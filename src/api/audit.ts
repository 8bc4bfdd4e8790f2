/** Handlers of the audit trail. */
import type { auditOperations, listAuditEvents } from '../contract/resources/audit.ts';
import type { QueryOf } from '../contract/operation.ts';
import { type AuditCursor, readAuditTrail } from '../domain/events/audit.ts';
import { invalidField } from '../domain/kernel/errors.ts';
import type { Handlers } from './handler.ts';
import { toUtc } from './lists/pagination.ts';

export const auditHandlers: Handlers<typeof auditOperations> = {
  async 'audit.list'({ tx, query }) {
    const { since, until, action_prefix, actor_type, limit, resource_type: resourceType, resource_id: resourceId } = query;
    const after = parseAuditCursor(query);
    const { rows, hasMore, next } = await readAuditTrail(tx, {
      limit,
      resourceType,
      resourceId,
      apiKeyId: query.api_key_id,
      ...(since === undefined ? {} : { since: toUtc(since) }),
      ...(until === undefined ? {} : { until: toUtc(until) }),
      ...(action_prefix === undefined ? {} : { actionPrefix: action_prefix }),
      ...(actor_type === undefined ? {} : { actorType: actor_type }),
      ...(after ? { after } : {}),
    });
    return { data: rows, pagination: { hasMore, nextCursor: next } };
  },
};

/** Half a cursor is an error: ignoring it would restart the list from the beginning. */
export function parseAuditCursor({
  cursor_created_at: createdAt,
  cursor_id: id,
}: Pick<QueryOf<typeof listAuditEvents>, 'cursor_created_at' | 'cursor_id'>): AuditCursor | undefined {
  if (createdAt === undefined && id === undefined) return undefined;
  if (createdAt !== undefined && id !== undefined) return { createdAt: toUtc(createdAt), id };
  const [missing, given] = createdAt === undefined ? ['cursor_created_at', 'cursor_id'] : ['cursor_id', 'cursor_created_at'];
  throw invalidField(`/${missing}`, `${missing} is required together with ${given}: pass both values of nextCursor.`, 'required', 'query');
}
