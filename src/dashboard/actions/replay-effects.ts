/** Effects that count what replays of the service would resend, and run them as long as the question is open. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../client/errors.ts';
import { type Replay, countReplay, readReplay, startReplay, stopReplay } from '../sources/replays.ts';
import { formatCount, formatNumber } from '../tables/format.ts';
import type { EffectOf } from './effects.ts';
import { type EffectContext, NotPossible } from './effect-context.ts';
import { requireApi, toContent } from './record-effects.ts';

const POLL_MS = 500;

export async function countReplays({ requests }: EffectOf<'count-replays'>, context: EffectContext): Promise<null> {
  const content = await toContent(async () => {
    const api = await requireApi(context);
    return Promise.all(requests.map((request) => countReplay(api, request)));
  });
  context.dispatch({ type: 'counted', content });
  return null;
}

/** Returns what was done; throws if not all were delivered. */
export async function runReplays({ counts, rate }: EffectOf<'replay'>, context: EffectContext): Promise<string> {
  const api = await requireApi(context);
  let replays: Replay[] = [];
  let rejection: ApiError | null = null;
  for (const { request } of counts.filter(({ selected }) => selected > 0)) {
    try {
      replays.push(await startReplay(api, request, rate));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      rejection = error;
    }
  }
  const isOpen = (): boolean => {
    const { overlay } = context.state().ui;
    return overlay?.kind === 'resend' && overlay.isAll && overlay.progress !== null;
  };
  while (isOpen() && replays.some(({ state }) => state === 'running')) {
    await sleep(POLL_MS);
    replays = await Promise.all(replays.map((replay) => (replay.state === 'running' ? readReplay(api, replay) : Promise.resolve(replay))));
    context.dispatch({ type: 'resent', progress: sumUp(replays) });
  }
  const wasStopped = !isOpen();
  const { queued: sent, rejected: failed } = sumUp(replays);
  const all = formatCount(
    counts.reduce((sum, { selected }) => sum + selected, 0),
    'delivery',
    'deliveries',
  );
  if (wasStopped) for (const replay of replays) if (replay.state === 'running') await stopReplay(api, replay);
  context.dispatch({ type: 'resent', progress: null });
  const done = `Delivered ${formatNumber(sent)} of ${all}`;
  if (wasStopped) throw new NotPossible(`${done}, then stopped; what is queued is still sent`);
  if (rejection !== null) throw new NotPossible(`${done}. ${rejection.message}`);
  if (failed > 0) throw new NotPossible(`${done}; ${formatNumber(failed)} failed again`);
  return done;
}

const sumUp = (replays: readonly Replay[]) => ({
  queued: replays.reduce((sum, { sent }) => sum + sent, 0),
  rejected: replays.reduce((sum, { failed }) => sum + failed, 0),
});
