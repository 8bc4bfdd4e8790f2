import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptOutcome } from '../domain/events/delivery-state.ts';
import type { FaultRegistry, InjectedFault } from '../domain/faults/fault-registry.ts';
import type { DeliveryRequest } from './attempt.ts';
import { toStatusError } from './delivery-errors.ts';
import type { Sender } from './sender.ts';

/**
 * Wraps a sender so that injected faults apply to its requests. A status fault is returned without a request to the receiver. With the
 * drop mode `after`, the receiver gets the request and only its response is lost.
 */
export function injectDeliveryFaults(sender: Sender, faults: FaultRegistry): Sender {
  const closed = new AbortController();

  async function sendWithFault(
    request: DeliveryRequest,
    { latencyMs, status, retryAfter, drop }: InjectedFault,
  ): Promise<AttemptOutcome | undefined> {
    const startedMs = performance.now();
    const createOutcome = (result: Pick<AttemptOutcome, 'httpStatus' | 'error' | 'retryAfterSeconds'>): AttemptOutcome => ({
      startedAt: request.startedAt,
      milliseconds: Math.round(performance.now() - startedMs),
      ...result,
    });
    // The latency counts towards the timeout of the attempt.
    const isElapsed = await sleep(Math.min(latencyMs, request.timeoutMs), true, { signal: closed.signal }).catch(() => false);
    if (!isElapsed) return undefined;
    if (latencyMs >= request.timeoutMs) return createOutcome({ httpStatus: null, error: 'timeout', retryAfterSeconds: null });
    if (status !== null) return createOutcome({ httpStatus: status, error: toStatusError(status), retryAfterSeconds: retryAfter });
    if (drop === 'before') return createOutcome({ httpStatus: null, error: 'connection_reset', retryAfterSeconds: null });
    const outcome = await sender.send({ ...request, timeoutMs: request.timeoutMs - latencyMs });
    if (drop === 'after' && outcome) return createOutcome({ httpStatus: null, error: 'connection_reset', retryAfterSeconds: null });
    return outcome && { ...outcome, milliseconds: Math.round(performance.now() - startedMs) };
  }

  return {
    send(request) {
      const fault = faults.hasFaults ? faults.matchDelivery(request.url) : undefined;
      return fault ? sendWithFault(request, fault) : sender.send(request);
    },
    close() {
      closed.abort();
      return sender.close();
    },
  };
}
