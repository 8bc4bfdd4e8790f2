import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptOutcome } from '../domain/events/delivery-state.ts';
import type { FaultRegistry } from '../domain/faults/fault-registry.ts';
import type { InjectedFault } from '../domain/faults/injected-fault.ts';
import type { DeliveryRequest } from './attempt.ts';
import { toStatusError } from './delivery-errors.ts';
import type { Sender } from './sender.ts';

/** How long a delivery waits for the next one. */
const WAIT_FOR_NEXT_MS = 1_000;

/**
 * Wraps a sender so that injected faults apply to its requests. A status fault is returned without a request to the receiver. With the
 * drop mode `after`, the receiver gets the request and only its response is lost.
 */
export function injectDeliveryFaults(sender: Sender, faults: FaultRegistry): Sender {
  const closed = new AbortController();
  /** By URL: the delivery that waits for the next one. */
  const waiting = new Map<string, PromiseWithResolvers<void>>();

  async function waitForNext(url: string): Promise<void> {
    const next = waiting.get(url) ?? Promise.withResolvers<void>();
    waiting.set(url, next);
    await Promise.race([next.promise, sleep(WAIT_FOR_NEXT_MS, undefined, { signal: closed.signal }).catch(() => undefined)]);
  }

  async function sendWithFault(
    request: DeliveryRequest,
    { latencyMs, status, retryAfter, drop, waitsForNext = false }: InjectedFault,
  ): Promise<AttemptOutcome | undefined> {
    const startedMs = performance.now();
    const createOutcome = (result: Pick<AttemptOutcome, 'httpStatus' | 'error' | 'retryAfterSeconds'>): AttemptOutcome => ({
      startedAt: request.startedAt,
      milliseconds: Math.round(performance.now() - startedMs),
      ...result,
    });
    if (waitsForNext) await waitForNext(request.url);
    // The latency counts towards the timeout of the attempt.
    const isElapsed = await sleep(Math.min(latencyMs, request.timeoutMs), true, { signal: closed.signal }).catch(() => false);
    if (!isElapsed) return undefined;
    if (latencyMs >= request.timeoutMs) return createOutcome({ httpStatus: null, error: 'timeout', retryAfterSeconds: null });
    if (status !== null) return createOutcome({ httpStatus: status, error: toStatusError(status), retryAfterSeconds: retryAfter });
    if (drop === 'before') return createOutcome({ httpStatus: null, error: 'connection_reset', retryAfterSeconds: null });
    const outcome = await sender.send({ ...request, timeoutMs: request.timeoutMs - latencyMs });
    if (drop === 'after' && outcome) return createOutcome({ httpStatus: null, error: 'connection_reset', retryAfterSeconds: null });
    return outcome && delay(outcome, Math.round(performance.now() - startedMs));
  }

  return {
    async send(request) {
      if (!faults.hasFaults) return sender.send(request);
      const fault = faults.matchDelivery(request.url);
      const overtaken = fault?.waitsForNext === true ? undefined : waiting.get(request.url);
      if (overtaken) waiting.delete(request.url);
      try {
        return await (fault ? sendWithFault(request, fault) : sender.send(request));
      } finally {
        overtaken?.resolve();
      }
    },
    close() {
      closed.abort();
      return sender.close();
    },
  };
}

/** The outcome of an attempt that took `milliseconds`, with the latency before its request. */
function delay(outcome: AttemptOutcome, milliseconds: number): AttemptOutcome {
  const { timing } = outcome;
  const latency = milliseconds - outcome.milliseconds;
  const add = (length: number | null): number | null => (length === null ? null : length + latency);
  return { ...outcome, milliseconds, ...(timing && { timing: { connected: add(timing.connected), answered: add(timing.answered) } }) };
}
