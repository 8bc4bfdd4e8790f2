/** Reads the audit trail, oldest first, after a cursor. Rows are written in commit order, so a cursor skips none. */
import { AUDIT_SCANNED_MAX } from '../../contract/limits.ts';
import type { ActorType } from '../../contract/resources/audit.ts';
import type { AuditRecord } from './records.ts';
import type { Condition } from '../kernel/ports.ts';
import type { ReadTx } from '../tables.ts';

export interface AuditCursor {
  readonly createdAt: string;
  readonly id: string;
}

export interface AuditQuery {
  /** Inclusive. */
  readonly since?: string;
  /** Exclusive, so that adjacent periods share no row. */
  readonly until?: string;
  readonly actionPrefix?: string;
  readonly actorType?: ActorType;
  readonly resourceType?: string | undefined;
  readonly resourceId?: string | undefined;
  readonly apiKeyId?: string | undefined;
  readonly after?: AuditCursor;
  readonly limit: number;
}

export interface AuditPage {
  readonly rows: readonly AuditRecord[];
  readonly hasMore: boolean;
  /** Where the next export continues, even after the last page. Without rows it is the given cursor, or null. */
  readonly next: AuditCursor | null;
}

/** The next rows after the cursor. Timestamps are UTC with milliseconds, as stored. */
export async function readAuditTrail(tx: ReadTx, query: AuditQuery): Promise<AuditPage> {
  const { limit } = query;
  const where = toConditions(query);
  const matches = createFilter(query);
  const rows: AuditRecord[] = [];
  let next = query.after;
  for (let scanned = 0; ;) {
    const size = matches === undefined ? limit : Math.min(Math.max(limit, BATCH_SIZE), AUDIT_SCANNED_MAX - scanned);
    const after = next ? { after: { values: [next.createdAt], id: next.id } } : {};
    const batch = await tx.auditEvents.listAfter({ orderBy: 'created_at', where, limit: size, ...after });
    for (const [index, row] of batch.rows.entries()) {
      next = { createdAt: row.createdAt, id: row.id };
      if (matches?.(row) ?? true) rows.push(row);
      if (rows.length === limit) return { rows, hasMore: batch.more || index < batch.rows.length - 1, next };
    }
    scanned += batch.rows.length;
    if (!batch.more || scanned >= AUDIT_SCANNED_MAX) return { rows, hasMore: batch.more, next: next ?? null };
  }
}

/** Rows that are read together if others do not match. */
const BATCH_SIZE = 1_000;

function toConditions({ since, until, actionPrefix, actorType }: AuditQuery): Condition[] {
  const where: Condition[] = [];
  if (since !== undefined) where.push({ field: 'createdAt', from: since });
  if (until !== undefined) where.push({ field: 'createdAt', before: until });
  if (actionPrefix !== undefined && actionPrefix !== '') where.push({ field: 'action', prefix: actionPrefix });
  if (actorType !== undefined) where.push({ field: 'actorType', equals: actorType });
  return where;
}

/** The filters without an index, which every change would have to write; undefined if there are none. */
function createFilter({ resourceType, resourceId, apiKeyId }: AuditQuery): ((row: AuditRecord) => boolean) | undefined {
  if (resourceType === undefined && resourceId === undefined && apiKeyId === undefined) return undefined;
  return (row) =>
    (resourceType === undefined || row.resourceType === resourceType) &&
    (resourceId === undefined || row.resourceId === resourceId) &&
    (apiKeyId === undefined || (row.actorType === 'api' && row.actorId === apiKeyId));
}
