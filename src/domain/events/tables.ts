/** The audit trail, the event log and the deliveries: tables, with the indexes for their queries. Rows are stored as arrays in the order of the fields: only append. */
import { createBodyCodec } from '../table-format/body-codec.ts';
import { deliveryCodec } from './delivery-codec.ts';
import { createListCodec } from '../table-format/list-codec.ts';
import { BY_CREATED_AT, defineTable } from '../table-format/define-table.ts';
import type { AuditRecord, DeliveryRecord, EventRecord } from './records.ts';

const auditCodec = createListCodec<AuditRecord>()([
  'id',
  'actorType',
  'actorId',
  'action',
  'resourceType',
  'resourceId',
  'metadata',
  'ipAddress',
  'createdAt',
]);

const eventCodec = createBodyCodec<EventRecord>()(['id', 'event', 'position', 'resourceId', 'occurredAt'], ['traceparent']);

export const eventsTables = {
  auditEvents: defineTable<AuditRecord>({
    name: 'auditEvents',
    scope: 'tenant',
    orders: { created_at: BY_CREATED_AT },
    filters: ['actorType'],
    columns: ['action'],
    codec: auditCodec,
  }),
  events: defineTable<EventRecord>({
    name: 'events',
    scope: 'tenant',
    types: { position: 'number' },
    orders: { position: [{ field: 'position' }] },
    columns: ['occurredAt'],
    codec: eventCodec,
  }),
  // Every event writes a row per endpoint, so indexes are expensive: status and event are filtered within an endpoint, without one.
  deliveries: defineTable<DeliveryRecord>({
    name: 'deliveries',
    scope: 'tenant',
    orders: { created_at: BY_CREATED_AT, queue: [{ field: 'queue' }, { field: 'dueAt' }] },
    filters: ['webhookId'],
    columns: ['status', 'eventType', 'updatedAt'],
    codec: deliveryCodec,
  }),
} as const;
