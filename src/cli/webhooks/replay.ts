/** Follows a replay to its end. */
import type { Client } from '../../client/client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { getReplay } from '../../contract/resources/webhook-replays.ts';
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import { listDeliveries } from '../../contract/resources/webhooks.ts';
import { quoteForShell } from '../errors/hints.ts';
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

/** Why deliveries of an ended replay were not delivered, and what to do next; undefined if all were. `name`: the endpoint as typed. */
export async function describeFailures(client: Client, replay: Replay, name: string): Promise<string | undefined> {
  const endpoint = quoteForShell(name);
  if (replay.state === 'stopped')
    return `The replay was stopped after ${formatCountWithNoun(replay.sent + replay.failed, 'deliveries')}: the endpoint is disabled, or the plan no longer includes webhooks. Show the endpoint with \`stockroom webhooks get ${endpoint}\``;
  if (replay.failed === 0) return undefined;
  // A delivery that was delivered before keeps its status.
  const query = { updated_since: replay.createdAt, page_size: PAGE_SIZE_MAX };
  const { data } = (await client.call(listDeliveries, { params: { webhook_id: replay.webhookId }, query })).body;
  const errors = [...new Set(data.map(({ lastError }) => lastError).filter((error) => error !== null))];
  const reason = errors.length === 0 ? '' : `: ${errors.join(', ')}`;
  return `${String(replay.failed)} of ${formatCountWithNoun(replay.selected, 'deliveries')} failed${reason}. Show them with \`stockroom webhooks deliveries list ${endpoint}\`, and replay them once the receiver works`;
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
