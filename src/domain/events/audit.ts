/** Reads the audit trail, oldest first, after a cursor. Rows are written in commit order, so a cursor skips none. */
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
export async function readAuditTrail(tx: ReadTx, { since, until, actionPrefix, actorType, after, limit }: AuditQuery): Promise<AuditPage> {
  const where: Condition[] = [];
  if (since !== undefined) where.push({ field: 'createdAt', from: since });
  if (until !== undefined) where.push({ field: 'createdAt', before: until });
  if (actionPrefix !== undefined && actionPrefix !== '') where.push({ field: 'action', prefix: actionPrefix });
  if (actorType !== undefined) where.push({ field: 'actorType', equals: actorType });
  const { rows, more } = await tx.auditEvents.listAfter({
    orderBy: 'created_at',
    where,
    limit,
    ...(after ? { after: { values: [after.createdAt], id: after.id } } : {}),
  });
  const last = rows.at(-1);
  return { rows, hasMore: more, next: last ? { createdAt: last.createdAt, id: last.id } : (after ?? null) };
}
