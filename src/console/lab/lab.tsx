/** The Lab: clock, faults and snapshots of the service, on its own machine only. */
import { useMutation } from '@tanstack/react-query';
import { advanceClock, resetClock, showClock } from '../../contract/admin/clock.ts';
import { clearFaults, listFaults, setFault } from '../../contract/admin/faults.ts';
import { deleteSnapshot, listSnapshots, loadSnapshot, saveSnapshot } from '../../contract/admin/snapshots.ts';
import { listTortureResults } from '../../contract/admin/torture.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { type Sample, callAny, queryClient, useAccess, useOperation } from '../api/index.ts';
import { Button, type Cell, ConfirmButton, Facts, Failure, FormButton, Frame, Problem, QuerySection, Section } from '../ui/index.ts';
import { FixturesCard } from './fixtures-card.tsx';
import { LiveDemoCard } from './live-demo-card.tsx';

export function Lab() {
  const { error } = useOperation(showClock, {});
  return (
    <Frame title="Lab" isScrolling samples={[showClock, listFaults, listSnapshots].map((op) => ({ op, parts: {} }))}>
      {error ? (
        <Failure error={error} />
      ) : (
        <>
          <p className="text-soft">For tests and demos. It changes the whole service, not only this organization.</p>
          <div className="columns">
            <ClockCard />
            <FaultsCard />
            <SnapshotsCard />
            <FixturesCard />
            <LiveDemoCard />
          </div>
          <TortureCard />
        </>
      )}
    </Frame>
  );
}

const STEPS = ['1h', '1d', '7d', '30d'] as const;

const CLOCK: readonly Cell<ResultOf<typeof showClock>['data']>[] = [
  { title: 'Time', as: 'clock', value: 'now' },
  {
    title: 'Ahead by',
    value: ({ offsetSeconds }) => (offsetSeconds === 0 ? null : Math.round(offsetSeconds / 360) / 10),
    unit: () => ({ symbol: 'h' }),
  },
];

function ClockCard() {
  const { data } = useOperation(showClock, {}, { refetchInterval: 1_000 });
  const { mutate, error } = useMutation({
    mutationFn: ({ op, parts }: Sample) => callAny(op, parts),
    onSettled: () => queryClient.invalidateQueries(),
  });
  return (
    <Section isCard title="Clock">
      {data && <Facts of={data.data} cells={CLOCK} />}
      <Problem error={error} />
      {data?.data.testClock === false ? (
        <p className="text-soft">
          Start the service with <code>--test-clock</code> to move its time: retries, due dates and expiry follow.
        </p>
      ) : (
        <div className="actions mt-3">
          {STEPS.map((by) => (
            <Button key={by} op={advanceClock} onClick={() => mutate({ op: advanceClock, parts: { body: { by } } })}>
              +{by}
            </Button>
          ))}
          <Button kind="quiet" op={resetClock} onClick={() => mutate({ op: resetClock, parts: { body: {} } })}>
            Reset
          </Button>
        </div>
      )}
    </Section>
  );
}

const FaultsCard = () => (
  <QuerySection
    isCard
    title="Faults"
    action={({ length }) => (
      <span className="actions">
        {length > 0 && (
          <ConfirmButton label="Clear all" title="Clear all faults?" action="Clear" sample={{ op: clearFaults, parts: { body: {} } }} />
        )}
        <FormButton label="New fault" icon="plus" title="New fault" op={setFault} />
      </span>
    )}
    op={listFaults}
    parts={{}}
    refetchInterval={2_000}
    empty="Requests and deliveries run normally"
    columns={[
      { title: 'Target', value: 'target' },
      {
        title: 'Effect',
        value: ({ status, latencyMs, drop }) =>
          [status, latencyMs > 0 && `${String(latencyMs)} ms`, drop && `drop ${drop}`].filter(Boolean).join(', '),
      },
      { title: 'Rate', value: ({ rate }) => rate * 100, unit: () => ({ symbol: '%' }) },
      { title: 'Triggered', as: 'number', value: 'hits' },
    ]}
  />
);

const SNAPSHOT: readonly Cell<ResultOf<typeof listSnapshots>['data'][number]>[] = [
  { title: 'Name', value: 'name' },
  { title: 'Saved', as: 'time', value: 'savedAt', mark: ({ problem }) => problem },
  { title: 'Rows', as: 'number', value: 'rows' },
];

function SnapshotsCard() {
  const { can } = useAccess();
  const actions = {
    title: 'Actions',
    isNumber: true,
    value: 'name',
    render: ({ name }) => <SnapshotActions name={name} />,
  } as const satisfies (typeof SNAPSHOT)[number];
  return (
    <QuerySection
      isCard
      title="Snapshots"
      action={<FormButton label="Save" icon="plus" title="Save a snapshot" op={saveSnapshot} />}
      op={listSnapshots}
      parts={{}}
      empty="None saved. A snapshot keeps all data of the service, to return to it later."
      columns={can(loadSnapshot) ? [...SNAPSHOT, actions] : SNAPSHOT}
    />
  );
}

const SnapshotActions = ({ name }: { readonly name: string }) => (
  <>
    <ConfirmButton
      label="Restore"
      kind="danger"
      title={`Restore ${name}?`}
      sample={{ op: loadSnapshot, parts: { params: { name }, body: {} } }}
      note="It replaces all data of all organizations. Save a snapshot of the present first if you want to come back."
    />{' '}
    <ConfirmButton label="Delete" kind="danger" title={`Delete ${name}?`} sample={{ op: deleteSnapshot, parts: { params: { name } } }} />
  </>
);

const TortureCard = () => (
  <QuerySection
    isCard
    title="Torture"
    op={listTortureResults}
    parts={{}}
    refetchInterval={5_000}
    columns={[
      { title: 'At', as: 'clock', isNumber: false, value: 'at' },
      { title: 'Program', value: ({ command }) => command.join(' ') },
      { title: 'Runs', as: 'number', value: 'runs' },
      { title: 'Failed', as: 'number', value: 'failed', isBad: ({ failed }) => failed > 0 },
      { title: 'Fails with', value: 'faults' },
      { title: 'Repeated', value: 'repeated' },
      { title: 'Because', value: 'reason' },
      { title: 'Repeat', as: 'code', value: 'repeat' },
    ]}
  />
);
