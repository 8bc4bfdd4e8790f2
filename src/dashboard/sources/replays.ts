/** Replays of the service, which resend the failed deliveries of an endpoint. */
import type { Client } from '../../client/client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { cancelReplay, createReplay, getReplay } from '../../contract/resources/webhook-replays.ts';
import type { ReplayCount, ReplayRequest } from '../state/model.ts';

export type Replay = ResultOf<typeof getReplay>['data'];

async function create(api: Client, { webhookId, since, types }: ReplayRequest, rate: number, isDryRun: boolean): Promise<Replay> {
  const query = isDryRun ? { dry_run: true } : {};
  const body = { since, statuses: ['failed'] as const, rate, ...(types === undefined ? {} : { types }) };
  return (await api.perform(createReplay, { params: { webhook_id: webhookId }, query, body })).body.data;
}

const toParams = ({ webhookId, id }: Replay) => ({ params: { webhook_id: webhookId, replay_id: id } });

/** Without starting it. */
export async function countReplay(api: Client, request: ReplayRequest): Promise<ReplayCount> {
  const { selected, oldestAt } = await create(api, request, 1, true);
  return { request, selected, oldestAt };
}

export const startReplay = (api: Client, request: ReplayRequest, rate: number): Promise<Replay> => create(api, request, rate, false);

export const readReplay = async (api: Client, replay: Replay): Promise<Replay> =>
  (await api.perform(getReplay, toParams(replay))).body.data;

/** What it has queued is still sent. */
export const stopReplay = async (api: Client, replay: Replay): Promise<void> => void (await api.perform(cancelReplay, toParams(replay)));
