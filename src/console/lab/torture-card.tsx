/** The latest results of torture, if there are any. */
import { listTortureResults } from '../../contract/admin/torture.ts';
import { useOperation } from '../api/queries.ts';
import { TableSection } from '../ui/mini-table.tsx';

const POLL_MS = 5_000;

export const TortureCard = () => (
  <TableSection
    isCard
    title="Torture"
    rows={useOperation(listTortureResults, {}, { refetchInterval: POLL_MS }).data?.data}
    columns={[
      { title: 'At', as: 'clock', value: ({ at }) => at },
      { title: 'Program', value: ({ command }) => command.join(' ') },
      { title: 'Runs', as: 'number', value: ({ runs }) => runs },
      {
        title: 'Failed',
        isNumber: true,
        render: ({ failed }, { number }) => <span className={failed > 0 ? 'bad-text' : undefined}>{number(failed)}</span>,
      },
      { title: 'Fails with', value: ({ faults }) => faults.join(', ') },
      { title: 'Repeated', value: ({ repeated }) => repeated },
      { title: 'Because', value: ({ reason }) => reason },
      { title: 'Repeat', render: ({ repeat }) => repeat !== null && <code>{repeat}</code> },
    ]}
  />
);
