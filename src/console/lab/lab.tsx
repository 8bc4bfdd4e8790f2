/** The Lab: clock, faults and snapshots of the service, on its own machine only. */
import { listFaults } from '../../contract/admin/faults.ts';
import { listSnapshots } from '../../contract/admin/snapshots.ts';
import { showClock } from '../../contract/admin/clock.ts';
import { useOperation } from '../api/queries.ts';
import { Failure } from '../ui/elements.tsx';
import { Frame } from '../ui/frame.tsx';
import { ClockCard } from './clock-card.tsx';
import { FaultsCard } from './faults-card.tsx';
import { FixturesCard } from './fixtures-card.tsx';
import { LiveDemoCard } from './live-demo-card.tsx';
import { SnapshotsCard } from './snapshots-card.tsx';
import { TortureCard } from './torture-card.tsx';

export default function Lab() {
  const { error } = useOperation(showClock, {});
  return (
    <Frame title="Lab" isScrolling samples={[showClock, listFaults, listSnapshots].map((op) => ({ op, parts: {} }))}>
      {error ? (
        <Failure error={error} />
      ) : (
        <>
          <p className="soft">For tests and demos. It changes the whole service, not only this organization.</p>
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
