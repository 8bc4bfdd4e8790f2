/** Shows and moves the test clock. */
import { useState } from 'react';
import { advanceClock, resetClock, showClock } from '../../contract/admin/clock.ts';
import { callAny } from '../api/client.ts';
import type { Sample } from '../api/samples.ts';
import { useFormat } from '../api/format.ts';
import { queryClient, useOperation } from '../api/queries.ts';
import { Button, Facts, Problem, Section } from '../ui/elements.tsx';

const STEPS = ['1h', '1d', '7d', '30d'] as const;

export function ClockCard() {
  const { data } = useOperation(showClock, {}, { refetchInterval: 1_000 });
  const [problem, setProblem] = useState<unknown>();
  const { clock, number } = useFormat();
  const state = data?.data;
  const move = async ({ op, parts }: Sample): Promise<void> => {
    setProblem(undefined);
    await callAny(op, parts).catch(setProblem);
    await queryClient.invalidateQueries();
  };
  return (
    <Section isCard title="Clock">
      <Facts
        facts={[
          ['Time', clock(state?.now)],
          ['Ahead by', state && state.offsetSeconds !== 0 ? `${number(Math.round(state.offsetSeconds / 360) / 10)} h` : undefined],
        ]}
      />
      <Problem error={problem} />
      {state?.testClock === false ? (
        <p className="soft">
          Start the service with <code>--test-clock</code> to move its time: retries, due dates and expiry follow.
        </p>
      ) : (
        <div className="actions card-actions">
          {STEPS.map((by) => (
            <Button key={by} onClick={() => void move({ op: advanceClock, parts: { body: { by } } })}>
              +{by}
            </Button>
          ))}
          <Button kind="quiet" onClick={() => void move({ op: resetClock, parts: { body: {} } })}>
            Reset
          </Button>
        </div>
      )}
    </Section>
  );
}
