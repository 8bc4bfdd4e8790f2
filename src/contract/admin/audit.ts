/** The audit trail for people: newest first, with the names of records and actors. */
import { AUDIT_LIMIT_MAX, NAME_MAX_CHARS } from '../limits.ts';
import { defineAdminOperation } from '../operation.ts';
import { auditCursor, auditEvent, auditPagination } from '../resources/audit.ts';
import { describe, t } from '../schema/builder.ts';
import { tenantQuery } from './shared-schemas.ts';

export const TRAIL_LIMIT_DEFAULT = 50;

export const listAuditTrail = defineAdminOperation('audit.trail', 'GET', '/admin/audit', {
  summary: 'List who changed what, newest first',
  query: t.object({
    ...tenantQuery.properties,
    record: t.optional(
      describe(t.string({ min: 1, max: NAME_MAX_CHARS }), 'Only changes of this record: number, SKU, code, e-mail, name or id.'),
    ),
    actor: t.optional(
      describe(t.string({ min: 1, max: NAME_MAX_CHARS }), 'Only changes by actors with this text in their name, key prefix, id or type.'),
    ),
    api_key_id: t.optional(describe(t.id('key'), 'Only changes by requests with this API key.')),
    action_prefix: t.optional(describe(t.string({ max: NAME_MAX_CHARS }), 'Only actions with this prefix, such as order.')),
    request_id: t.optional(
      describe(t.string({ min: 1, max: NAME_MAX_CHARS }), 'Only changes by the request with this id, as in X-Request-Id and in the log.'),
    ),
    since: t.optional(describe(t.timestamp(), 'Only changes at or after this time.')),
    until: t.optional(describe(t.timestamp(), 'Only changes before this time.')),
    limit: t.withDefault(describe(t.int({ min: 1, max: AUDIT_LIMIT_MAX }), 'Maximum number of rows.'), TRAIL_LIMIT_DEFAULT),
    ...auditCursor,
  }),
  result: t.object({
    data: t.array(
      t.object({
        ...auditEvent.properties,
        actorName: describe(t.nullable(t.string()), 'E-mail of the user, or name of the key; null if it no longer exists.'),
        recordName: describe(t.nullable(t.string()), 'Number, SKU or name of the record, also of one that was deleted.'),
      }),
    ),
    pagination: auditPagination,
  }),
});

export const auditTrailOperations = [listAuditTrail] as const;
