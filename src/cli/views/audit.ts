/** Columns of the audit trail. */
import type { listAuditTrail } from '../../contract/admin/audit.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { toPlainText } from '../output/fields.ts';
import { formatLogTime } from './local-time.ts';

type Row = ResultOf<typeof listAuditTrail>['data'][number];
const toRow = (row: unknown): Row => row as Row;

export const AUDIT_TABLE_COLUMNS = ['time', 'action', 'recordName', 'actorName', 'changes', 'ipAddress'];

/** `status: open → completed, dueDate: … → …` */
function formatChanges({ metadata }: Row): string | null {
  const { changes } = metadata;
  if (typeof changes !== 'object' || changes === null) return null;
  return Object.entries(changes)
    .map(([field, change]: [string, { readonly from?: unknown; readonly to?: unknown } | null]) =>
      typeof change === 'object' && change !== null && 'to' in change
        ? `${field}: ${toPlainText(change.from) || '–'} → ${toPlainText(change.to) || '–'}`
        : field,
    )
    .join(', ');
}

export const AUDIT_DERIVED = {
  time: (row: unknown) => formatLogTime(toRow(row).createdAt),
  changes: (row: unknown) => formatChanges(toRow(row)),
  requestId: (row: unknown) => toPlainText(toRow(row).metadata['requestId']) || null,
};
