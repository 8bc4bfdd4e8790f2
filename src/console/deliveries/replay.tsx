/** Resends what an endpoint did not receive in a period; says first how much that is. */
import { useMemo, useState } from 'react';
import { createReplay } from '../../contract/resources/webhook-replays.ts';
import { describeError, useDryRun, useFormat } from '../api/index.ts';
import { Choice, Confirm } from '../ui/index.ts';

/** In hours. */
const RANGES: Readonly<Record<string, number>> = { '1 hour': 1, '7 days': 168, '30 days': 720 };
const DEFAULT_HOURS = 24;

export function Replay({ webhookId, onClose }: { readonly webhookId: string; readonly onClose: () => void }) {
  const [range, setRange] = useState('');
  const { number, time } = useFormat();
  // Of the time at which it was chosen.
  const since = useMemo(() => new Date(Date.now() - (RANGES[range] ?? DEFAULT_HOURS) * 3_600_000).toISOString(), [range]);
  const parts = { params: { webhook_id: webhookId }, body: { since } };
  const { data, error } = useDryRun(createReplay, parts);
  const preview = data?.data;
  return (
    <Confirm title="Replay deliveries" action="Replay" sample={{ op: createReplay, parts }} onClose={onClose}>
      <p>Sends each failed or discarded delivery of the period once more, oldest first.</p>
      <p>
        <Choice label="Last" none="1 day" value={range} values={Object.keys(RANGES)} onChange={setRange} />
      </p>
      <p role="status">
        {error
          ? describeError(error)
          : preview &&
            (preview.selected === 0
              ? 'Nothing to send.'
              : `${number(preview.selected)} deliveries, from ${time(preview.oldestAt)} to ${time(preview.newestAt)}.`)}
      </p>
    </Confirm>
  );
}
