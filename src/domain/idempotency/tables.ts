/** Stored replies: the table, with the index for its queries. Rows are stored as arrays in the order of the fields: only append. */
import { createBodyCodec } from '../table-format/body-codec.ts';
import { defineTable } from '../table-format/define-table.ts';
import type { IdempotencyRecord } from './records.ts';

const replyCodec = createBodyCodec<IdempotencyRecord>()(['id', 'fingerprint', 'status', 'location', 'createdAt', 'expiresAt', 'etag']);

export const idempotencyTables = {
  idempotency: defineTable<IdempotencyRecord>({
    name: 'idempotency',
    scope: 'tenant',
    orders: { expires_at: [{ field: 'expiresAt' }] },
    codec: replyCodec,
  }),
} as const;
