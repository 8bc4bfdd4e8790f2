/** The audit export: who changed what, oldest first, resumable. Contract parts 2 and 4. */
import { AUDIT_LIMIT_DEFAULT, AUDIT_LIMIT_MAX, NAME_MAX_CHARS } from './limits.ts';
import { operation } from './operation.ts';
import { type Infer, t } from './schema.ts';

export const ACTOR_TYPES = ['user', 'system', 'api'] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

export const auditEvent = t.about(
  t.object({
    id: t.uuid(),
    actorType: t.enums(ACTOR_TYPES),
    actorId: t.string(),
    action: t.about(t.string(), { example: 'item.created' }),
    resourceType: t.string(),
    resourceId: t.string(),
    metadata: t.about(t.map(t.json()), { description: 'The request and the changed fields with their old and new values; never secrets.' }),
    ipAddress: t.nullable(t.string()),
    createdAt: t.timestamp(),
  }),
  { name: 'AuditEvent' },
);
export type AuditEvent = Infer<typeof auditEvent>;

export const listAuditEvents = operation({
  id: 'audit.list',
  method: 'GET',
  path: '/v1/audit/events',
  scope: 'audit:read',
  plan: 'enterprise',
  summary: 'Export audit events',
  description:
    'Oldest first. Pass `nextCursor` back as `cursor_created_at` and `cursor_id` to go on behind the last row; it is there on the last page too, so that a later export continues where this one ended.',
  query: t.object({
    since: t.optional(t.about(t.timestamp(), { description: 'Only events at or after this instant.' })),
    until: t.optional(t.about(t.timestamp(), { description: 'Only events before this instant.' })),
    action_prefix: t.optional(
      t.about(t.string({ max: NAME_MAX_CHARS }), { description: 'Only actions that begin so.', example: 'stock_document.' }),
    ),
    actor_type: t.optional(t.enums(ACTOR_TYPES)),
    limit: t.withDefault(t.about(t.int({ min: 1, max: AUDIT_LIMIT_MAX }), { description: 'Rows per page.' }), AUDIT_LIMIT_DEFAULT),
    cursor_created_at: t.optional(t.about(t.timestamp(), { description: 'With `cursor_id`: the `nextCursor` of the page before.' })),
    cursor_id: t.optional(t.uuid()),
  }),
  status: 200,
  result: t.object({
    data: t.array(auditEvent),
    pagination: t.object({
      hasMore: t.bool(),
      nextCursor: t.about(t.nullable(t.object({ createdAt: t.timestamp(), id: t.string() })), {
        description: 'The last row of this page; without rows the cursor that was sent, null when there was none.',
      }),
    }),
  }),
  example: { query: { action_prefix: 'item.', limit: '50' } },
});

export const auditOperations = [listAuditEvents] as const;
