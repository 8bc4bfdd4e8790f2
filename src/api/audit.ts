import type { auditOperations, listAuditEvents } from '../contract/audit.ts';
import type { QueryOf } from '../contract/operation.ts';
import { type AuditCursor, auditPage } from '../domain/audit.ts';
import { invalidField } from '../domain/errors.ts';
import type { Handlers } from './call.ts';
import { utc } from './lists.ts';

export const auditHandlers: Handlers<typeof auditOperations> = {
  async 'audit.list'({ tx, query }) {
    const { since, until, action_prefix, actor_type, limit } = query;
    const after = cursorOf(query);
    const { rows, hasMore, next } = await auditPage(tx, {
      limit,
      ...(since === undefined ? {} : { since: utc(since) }),
      ...(until === undefined ? {} : { until: utc(until) }),
      ...(action_prefix === undefined ? {} : { actionPrefix: action_prefix }),
      ...(actor_type === undefined ? {} : { actorType: actor_type }),
      ...(after ? { after } : {}),
    });
    return { data: rows, pagination: { hasMore, nextCursor: next } };
  },
};

/** Half a cursor would silently begin again from the start. */
function cursorOf({ cursor_created_at: createdAt, cursor_id: id }: QueryOf<typeof listAuditEvents>): AuditCursor | undefined {
  if (createdAt === undefined && id === undefined) return undefined;
  if (createdAt !== undefined && id !== undefined) return { createdAt: utc(createdAt), id };
  const [missing, given] = createdAt === undefined ? ['cursor_created_at', 'cursor_id'] : ['cursor_id', 'cursor_created_at'];
  throw invalidField(`/${missing}`, `${missing} is required beside ${given}: send both values of nextCursor.`, 'required', 'query');
}
