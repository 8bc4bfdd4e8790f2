/** Follows a replay to its end. */
import type { Client } from '../../client/client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { getReplay } from '../../contract/resources/webhook-replays.ts';
import { createProgress } from '../bulk/progress.ts';
import { toDisplayText } from '../output/fields.ts';
import { formatCountWithNoun, formatCountdown } from '../output/numbers.ts';

export type Replay = ResultOf<typeof getReplay>['data'];

const POLL_MS = 500;

/** What a replay would send, in a sentence. */
export function describeReplay({ selected, oldestAt, newestAt, rate }: Replay, name: string): string {
  const duration = selected > rate ? `, at least ${formatCountdown(selected / rate)}` : '';
  const period =
    oldestAt === null || newestAt === null ? '' : `, recorded from ${toDisplayText(oldestAt)} to ${toDisplayText(newestAt)}${duration}`;
  return `${formatCountWithNoun(selected, 'deliveries')} to ${name}${period}`;
}

/** Shows the progress at a terminal, and returns the replay when it has ended. */
export async function followReplay(client: Client, { id, webhookId, selected }: Replay): Promise<Replay> {
  const { setTimeout: sleep } = process.getBuiltinModule('node:timers/promises');
  const progress = createProgress({ noun: 'deliveries', participle: 'replayed', total: selected });
  try {
    for (;;) {
      const { data } = (await client.call(getReplay, { params: { webhook_id: webhookId, replay_id: id } })).body;
      if (data.state !== 'running') return data;
      progress.show(data.sent + data.failed);
      await sleep(POLL_MS);
    }
  } finally {
    progress.clear();
  }
}
