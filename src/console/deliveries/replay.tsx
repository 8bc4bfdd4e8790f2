/** Resends what an endpoint did not receive in a period; says first how much that is. */
import { createReplay } from '../../contract/resources/webhook-replays.ts';
import { describeError, useDryRun, useFormat } from '../api/index.ts';
import { Confirm, useSince } from '../ui/index.ts';

const RANGES = { '1 hour': 1, '7 days': 168, '30 days': 720 };

export function Replay({ webhookId, onClose }: { readonly webhookId: string; readonly onClose: () => void }) {
  const { since, choice } = useSince('Last', RANGES);
  const { number, time } = useFormat();
  const parts = { params: { webhook_id: webhookId }, body: { since } };
  const { data, error } = useDryRun(createReplay, parts);
  const preview = data?.data;
  return (
    <Confirm title="Replay deliveries" action="Replay" sample={{ op: createReplay, parts }} onClose={onClose}>
      <p>Sends each failed or discarded delivery of the period once more, oldest first.</p>
      <p>{choice}</p>
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
