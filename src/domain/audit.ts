/** Reading the audit trail: oldest first, behind a cursor. Rows are written in the order of the store's commits, so a cursor skips none. */
import type { ActorType } from '../contract/audit.ts';
import type { AuditRecord } from './changes.ts';
import type { Condition } from './ports.ts';
import type { ReadTx } from './tables.ts';

export interface AuditCursor {
  readonly createdAt: string;
  readonly id: string;
}

export interface AuditSelection {
  /** Inclusive. */
  readonly since?: string;
  /** ours: exclusive, so that windows that touch share no event. */
  readonly until?: string;
  readonly actionPrefix?: string;
  readonly actorType?: ActorType;
  readonly after?: AuditCursor;
  readonly limit: number;
}

export interface AuditPage {
  readonly rows: readonly AuditRecord[];
  readonly hasMore: boolean;
  /** ours: where a later export goes on, also behind the last page; without rows the cursor that was given, or null. */
  readonly next: AuditCursor | null;
}

/** The next rows behind the cursor. All timestamps are UTC with milliseconds, as stored. */
export async function auditPage(tx: ReadTx, { since, until, actionPrefix, actorType, after, limit }: AuditSelection): Promise<AuditPage> {
  const where: Condition[] = [];
  if (since !== undefined) where.push({ field: 'createdAt', from: since });
  if (until !== undefined) where.push({ field: 'createdAt', before: until });
  if (actionPrefix !== undefined && actionPrefix !== '') where.push({ field: 'action', prefix: actionPrefix });
  if (actorType !== undefined) where.push({ field: 'actorType', equals: actorType });
  const { rows, more } = await tx.auditEvents.after({
    orderBy: 'created_at',
    where,
    limit,
    ...(after ? { after: { values: [after.createdAt], id: after.id } } : {}),
  });
  const last = rows.at(-1);
  return { rows, hasMore: more, next: last ? { createdAt: last.createdAt, id: last.id } : (after ?? null) };
}
