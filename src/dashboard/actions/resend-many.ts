/** Resends deliveries one after the other, at the rate of the question, as long as it is open. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, Unreachable } from '../../client/errors.ts';
import type { DeliveryRow, Overlay } from '../state/model.ts';
import { formatCount, formatNumber } from '../tables/format.ts';
import { type EffectContext, NotPossible } from './effect-context.ts';
import { resendDelivery } from './record-effects.ts';

/** How often a pause is checked. */
const PAUSE_MS = 100;

/** Returns what was done; throws if not all were queued. */
export async function resendMany(rows: readonly DeliveryRow[], context: EffectContext): Promise<string> {
  const all = formatCount(rows.length, 'delivery', 'deliveries');
  let rejection: ApiError | Unreachable | null = null;
  let [queued, rejected] = [0, 0];
  for (const row of rows) {
    const rate = await waitForTurn(rows, context);
    if (rate === null) throw new NotPossible(`Queued ${formatNumber(queued)} of ${all}, then stopped`);
    try {
      await resendDelivery(row, context);
      queued += 1;
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof Unreachable)) throw error;
      rejection = error;
      rejected += 1;
    }
    context.dispatch({ type: 'resent', progress: { queued, rejected } });
    if (rejection instanceof Unreachable) break;
    await sleep(1_000 / rate);
  }
  context.dispatch({ type: 'resent', progress: null });
  if (rejection) throw new NotPossible(`Queued ${formatNumber(queued)} of ${all}. ${rejection.message}`);
  return `Queued ${all}`;
}

/** The rate, once it is not paused; null when the user has stopped it. */
async function waitForTurn(rows: readonly DeliveryRow[], { state }: EffectContext): Promise<number | null> {
  for (;;) {
    const question: Overlay | null = state().ui.overlay;
    if (question?.kind !== 'resend' || question.rows !== rows || question.progress === null) return null;
    if (!question.progress.isPaused) return question.rate;
    await sleep(PAUSE_MS);
  }
}
