/** Finds records that were deleted by what the audit trail calls them, so that their history can be read. */
import { iterateCursorPages } from '../../client/lists/pages.ts';
import { AUDIT_LIMIT_MAX } from '../../contract/limits.ts';
import { type AuditEvent, listAuditEvents } from '../../contract/resources/audit.ts';
import { getApiError } from '../errors/explained-error.ts';
import { Failure } from '../errors/failure.ts';
import { normalizeName } from '../input/record-names.ts';
import type { ServiceSession } from '../session/session.ts';

/** The kinds that can be deleted. */
const DELETIONS = ['item.deleted', 'contact.deleted', 'stock_document.deleted', 'webhook.deleted'];

/** Returns the id of the deleted record with this name; undefined if there is none, or the key may not read the trail. Throws if there are several. */
export async function findDeletedRecord(session: ServiceSession, typed: string): Promise<string | undefined> {
  const found = new Map<string, AuditEvent>();
  try {
    for (const action of DELETIONS)
      for (const row of await readDeletions(session, action)) if (isNamed(row, typed)) found.set(row.resourceId, row);
  } catch (error) {
    if (getApiError(error)?.code === 'SCOPE_REQUIRED') return undefined;
    throw error;
  }
  const rows = [...found.values()];
  if (rows.length <= 1) return rows[0]?.resourceId;
  const candidates = rows.map(({ resourceId, resourceType, createdAt }) => ({ type: resourceType, deletedAt: createdAt, id: resourceId }));
  throw new Failure('AMBIGUOUS_NAME', `${String(rows.length)} deleted records have the name "${typed}"`, {
    hint: 'Pass the id instead',
    details: { candidates },
  });
}

async function readDeletions(session: ServiceSession, action: string): Promise<readonly AuditEvent[]> {
  const rows: AuditEvent[] = [];
  const parts = { query: { action_prefix: action, limit: String(AUDIT_LIMIT_MAX) } };
  for await (const { data } of iterateCursorPages(await session.connect(), listAuditEvents, parts, null))
    rows.push(...(data as readonly AuditEvent[]));
  return rows;
}

const isNamed = ({ metadata }: AuditEvent, typed: string): boolean =>
  Object.values(metadata).some((value) => typeof value === 'string' && normalizeName(value) === normalizeName(typed));
