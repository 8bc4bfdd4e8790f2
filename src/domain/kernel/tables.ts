/** Stored replies and counters: tables, with the indexes for their queries. Rows are stored as arrays in the order of the fields: only append. */
import { createBodyCodec } from './body-codec.ts';
import { defineTable } from './table-spec.ts';
import type { CounterRecord, IdempotencyRecord } from './records.ts';

const replyCodec = createBodyCodec<IdempotencyRecord>()(['id', 'fingerprint', 'status', 'location', 'createdAt', 'expiresAt', 'etag']);

export const kernelTables = {
  idempotency: defineTable<IdempotencyRecord>({
    name: 'idempotency',
    scope: 'tenant',
    orders: { expires_at: [{ field: 'expiresAt' }] },
    codec: replyCodec,
  }),
  counters: defineTable<CounterRecord>({ name: 'counters', scope: 'tenant', orders: { id: [{ field: 'id' }] } }),
} as const;
