/** Runs the live demo: one event after another, at random intervals, until it is interrupted. */
import type { Client } from '../../client/client.ts';
import { createMethods } from '../../client/methods.ts';
import { createSeededRandom } from '../../demo/seeded-random.ts';
import { formatCountWithNoun } from '../output/numbers.ts';
import { openBusiness } from './business.ts';
import type { BusinessEvent, EventKind } from './events.ts';
import { LIVE_DEMO_OPERATIONS } from './operations.ts';

export interface LiveDemoOptions {
  readonly client: Client;
  readonly perMinute: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: BusinessEvent) => Promise<void> | void;
}

/** The shortest and the longest pause are this far from the average. */
const SPREAD = 0.4;

/** Returns the number of events by kind. Does not wait for a request in progress when `signal` is aborted. */
export async function runLiveDemo({ client, perMinute, seed, signal, onEvent }: LiveDemoOptions): Promise<ReadonlyMap<EventKind, number>> {
  const counts = new Map<EventKind, number>();
  const random = createSeededRandom(seed);
  const aborted = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
  const business = await Promise.race([openBusiness(createMethods(client, LIVE_DEMO_OPERATIONS), random), aborted]);
  if (!business) return counts;
  while (!signal.aborted) {
    const startedAt = performance.now();
    const event = await Promise.race([business.next(), aborted]);
    if (event) {
      counts.set(event.kind, (counts.get(event.kind) ?? 0) + 1);
      await onEvent(event);
    }
    const pause = (60_000 / perMinute) * (1 - SPREAD + 2 * SPREAD * random());
    const rest = Math.max(0, pause - (performance.now() - startedAt));
    await Promise.race([aborted, new Promise((resolve) => setTimeout(resolve, rest))]);
  }
  return counts;
}

/** `12:03:10  SO-000042    Café Alfama orders 12 × Guji 250 g` */
export const formatEvent = ({ number, text }: BusinessEvent, at: Date): string =>
  `${at.toTimeString().slice(0, 8)}  ${number.padEnd(11)}  ${text}`;

/** `14 orders received, 12 shipped, 3 purchases arrived, 1 make order completed` */
export function formatSummary(counts: ReadonlyMap<EventKind, number>): string {
  const count = (kind: EventKind) => counts.get(kind) ?? 0;
  return [
    `${formatCountWithNoun(count('order_received'), 'orders')} received`,
    `${String(count('order_shipped'))} shipped`,
    `${formatCountWithNoun(count('purchase_received'), 'purchases')} arrived`,
    `${formatCountWithNoun(count('production_completed'), 'make orders')} completed`,
  ].join(', ');
}
