/** The audit trail: who changed what, newest first. */
import { useLocation } from 'wouter';
import { listAuditTrail } from '../../contract/admin/audit.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { useFormat } from '../api/format.ts';
import { useOperation } from '../api/queries.ts';
import type { Column } from '../ui/data-table.tsx';
import { Choice } from '../ui/choice.tsx';
import { Panel } from '../ui/dialog.tsx';
import { Facts } from '../ui/elements.tsx';
import { useUrlFilters } from '../ui/filters.tsx';
import { LogView } from '../ui/log-view.tsx';
import { Payload } from '../ui/payload.tsx';
import { ResourceLink } from '../ui/resource-link.tsx';
import { useSubPath, useWithFilters } from '../ui/selection.ts';

type Entry = ResultOf<typeof listAuditTrail>['data'][number];
const ROWS_MAX = 500;
const PREFIXES = ['item.', 'order.', 'stock_document.', 'contact.', 'webhook.', 'api_key.', 'stock_level.'] as const;

const COLUMNS: readonly Column<Entry>[] = [
  { title: 'Action', width: 'minmax(9rem, 1.5fr)', value: ({ action }) => action },
  { title: 'Record', width: 'minmax(7rem, 1.5fr)', value: ({ recordName, resourceId }) => recordName ?? resourceId },
  { title: 'Who', width: 'minmax(6rem, 1fr)', rank: 36, value: ({ actorName, actorType }) => actorName ?? actorType },
  { title: 'Address', width: '8rem', rank: 58, value: ({ ipAddress }) => ipAddress },
  { title: 'At', width: '9.5rem', rank: 30, as: 'clock', value: ({ createdAt }) => createdAt },
];

export default function Audit() {
  const filters = useUrlFilters(listAuditTrail);
  const [id] = useSubPath();
  const [, navigate] = useLocation();
  const withFilters = useWithFilters();
  const query = { ...filters.query, limit: ROWS_MAX };
  const { data, error } = useOperation(listAuditTrail, { query });
  const selected = data?.data.find((row) => row.id === id);
  return (
    <LogView<Entry>
      title="Audit"
      samples={[{ op: listAuditTrail, parts: { query } }]}
      columns={COLUMNS}
      rows={data?.data}
      error={error}
      getId={(row) => row.id}
      getHref={(row) => withFilters(`/audit/${row.id}`)}
      selectedId={id}
      toolbar={
        <Choice
          label="Action"
          value={filters.get('action_prefix')}
          values={PREFIXES}
          toText={(value) => `${value}*`}
          onChange={(value) => filters.set('action_prefix', value)}
        />
      }
      empty="No changes"
    >
      {selected && <AuditDetails entry={selected} onClose={() => navigate(withFilters('/audit'))} />}
    </LogView>
  );
}

function AuditDetails({ entry, onClose }: { readonly entry: Entry; readonly onClose: () => void }) {
  const { clock } = useFormat();
  return (
    <Panel title={entry.action} label="Change" onClose={onClose}>
      <Facts
        facts={[
          ['Record', <ResourceLink type={entry.resourceType} id={entry.resourceId} name={entry.recordName ?? entry.resourceId} />],
          ['Who', entry.actorName ?? entry.actorId],
          ['Address', entry.ipAddress],
          ['At', clock(entry.createdAt)],
        ]}
      />
      <h3 className="panel-title">Details</h3>
      <Payload text={JSON.stringify(entry.metadata)} label="Details" />
    </Panel>
  );
}
