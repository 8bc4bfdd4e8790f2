/** The audit trail: who changed what, oldest first, with a resumable cursor. C-2 and C-4. */
import { AUDIT_LIMIT_DEFAULT, AUDIT_LIMIT_MAX, NAME_MAX_CHARS } from '../limits.ts';
import { defineOperation, extension } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';

export const ACTOR_TYPES = ['user', 'system', 'api'] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

export const auditEvent = t.component('AuditEvent', {
  id: t.uuid(),
  actorType: t.enums(ACTOR_TYPES),
  actorId: t.string(),
  action: t.annotate(t.string(), { example: 'item.created' }),
  resourceType: t.string(),
  resourceId: t.string(),
  metadata: describe(t.map(t.json()), 'Details of the request and the changed fields with old and new values; never secrets.'),
  ipAddress: t.nullable(t.string()),
  createdAt: t.timestamp(),
});
export type AuditEvent = Infer<typeof auditEvent>;

/** The parameters that continue after the last row of a page. */
export const auditCursor = {
  cursor_created_at: t.optional(describe(t.timestamp(), 'Together with `cursor_id`: the `nextCursor` of the previous page.')),
  cursor_id: t.optional(t.uuid()),
};

export const auditPagination = t.object({
  hasMore: t.bool(),
  nextCursor: t.annotate(t.nullable(t.object({ createdAt: t.timestamp(), id: t.string() })), {
    description: 'Cursor of the last row that was read. If there was none: the cursor of the request, or null.',
  }),
});

export const listAuditEvents = defineOperation('audit.list', 'GET', '/v1/audit/events', {
  scope: 'audit:read',
  plan: 'enterprise',
  summary: 'Export audit events',
  description:
    'Oldest first. Pass `nextCursor` as `cursor_created_at` and `cursor_id` to continue after the last row; the last page has one too, so that a later export can continue from there. A page with filters by record or key may be empty and have more.',
  query: t.object({
    since: t.optional(t.annotate(t.timestamp(), { description: 'Only events at or after this time.' })),
    until: t.optional(t.annotate(t.timestamp(), { description: 'Only events before this time.' })),
    action_prefix: t.optional(
      t.annotate(t.string({ max: NAME_MAX_CHARS }), { description: 'Only actions with this prefix.', example: 'stock_document.' }),
    ),
    actor_type: t.optional(t.annotate(t.enums(ACTOR_TYPES), { description: 'Only events of this actor type.' })),
    resource_type: t.optional(extension(t.string({ max: NAME_MAX_CHARS }), 'Only events of records of this type, such as `item`.')),
    resource_id: t.optional(extension(t.string({ max: NAME_MAX_CHARS }), 'Only events of this record.')),
    api_key_id: t.optional(extension(t.id('key'), 'Only events of requests with this API key.')),
    limit: t.withDefault(t.annotate(t.int({ min: 1, max: AUDIT_LIMIT_MAX }), { description: 'Rows per page.' }), AUDIT_LIMIT_DEFAULT),
    ...auditCursor,
  }),
  result: t.object({
    data: t.array(auditEvent),
    pagination: auditPagination,
  }),
  example: { query: { action_prefix: 'item.', limit: '50' } },
});

export const auditOperations = [listAuditEvents] as const;
