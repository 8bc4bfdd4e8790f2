/** Replays of the service, which resend the failed deliveries of an endpoint. */
import type { Client } from '../../client/client.ts';
import { cancelReplay, createReplay, getReplay } from '../../contract/resources/webhook-replays.ts';
import type { ReplayRequest } from '../state/model.ts';
import type { Replay, ReplayRunner } from './source.ts';

export function createReplayRunner(api: Client): ReplayRunner {
  const create = async ({ webhookId, since, types }: ReplayRequest, rate: number, isDryRun: boolean) => {
    const query = isDryRun ? { dry_run: true } : {};
    const body = { since, statuses: ['failed'] as const, rate, ...(types === undefined ? {} : { types }) };
    return (await api.perform(createReplay, { params: { webhook_id: webhookId }, query, body })).body.data;
  };
  const toParams = ({ webhookId, id }: Replay) => ({ webhook_id: webhookId, replay_id: id });
  return {
    async countReplay(request) {
      const { selected, oldestAt } = await create(request, 1, true);
      return { request, selected, oldestAt };
    },
    startReplay: (request, rate) => create(request, rate, false),
    readReplay: async (replay) => (await api.perform(getReplay, { params: toParams(replay) })).body.data,
    async cancelReplay(replay) {
      await api.perform(cancelReplay, { params: toParams(replay) });
    },
  };
}
