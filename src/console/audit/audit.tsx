/** The audit trail: who changed what, newest first. */
import { listAuditTrail } from '../../contract/admin/audit.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { useOperation } from '../api/index.ts';
import { type Cell, LogView, UrlChoice, toRecordPath, useUrl } from '../ui/index.ts';

type Entry = ResultOf<typeof listAuditTrail>['data'][number];
const ROWS_MAX = 500;
const PREFIXES = ['item.', 'order.', 'stock_document.', 'contact.', 'webhook.', 'api_key.', 'stock_level.'] as const;

const FIELDS: readonly Cell<Entry>[] = [
  { title: 'Action', width: 'minmax(9rem, 2fr)', value: 'action', isListOnly: true },
  {
    title: 'Record',
    width: 'minmax(7rem, 1.2fr)',
    value: ({ recordName, resourceId }) => recordName ?? resourceId,
    href: ({ resourceType, resourceId }) => toRecordPath(resourceType, resourceId),
  },
  { title: 'Who', width: 'minmax(6rem, 1fr)', rank: 36, value: ({ actorName, actorType }) => actorName ?? actorType },
  { title: 'Address', width: '8rem', rank: 58, value: 'ipAddress' },
  { title: 'At', width: '9.5rem', rank: 30, as: 'clock', value: 'createdAt' },
];

export function Audit() {
  const query = { ...useUrl().getQuery(listAuditTrail), limit: ROWS_MAX };
  const { data, error } = useOperation(listAuditTrail, { query });
  return (
    <LogView<Entry>
      title="Audit"
      path="/audit"
      label="Change"
      samples={[{ op: listAuditTrail, parts: { query } }]}
      columns={FIELDS}
      rows={data?.data}
      error={error}
      toolbar={<UrlChoice name="action_prefix" label="Action" values={PREFIXES} toText={(value) => `${value}*`} />}
      empty="No changes"
      getTitle={({ action }) => action}
      payload={{ title: 'Details', read: ({ metadata }) => metadata }}
    />
  );
}
