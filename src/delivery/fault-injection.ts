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
  /** By URL: deliveries that wait for the next one. */
  const waiting = new Map<string, { readonly next: PromiseWithResolvers<void>; readonly sent: Promise<unknown> }[]>();
  /** By URL: the end of the last delivery that was sent in order. */
  const turns = new Map<string, Promise<unknown>>();

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
    return outcome && delay(outcome, Math.round(performance.now() - startedMs));
  }

  async function sendAfterNext(request: DeliveryRequest, fault: InjectedFault): Promise<AttemptOutcome | undefined> {
    const next = Promise.withResolvers<void>();
    const isOver = sleep(WAIT_FOR_NEXT_MS, undefined, { signal: closed.signal }).catch(() => undefined);
    const sent = Promise.race([next.promise, isOver]).then(() => sendWithFault(request, fault));
    waiting.set(request.url, [...(waiting.get(request.url) ?? []), { next, sent }]);
    return sent;
  }

  /** Those that waited for the delivery that was sent now. */
  async function sendWaiting(url: string): Promise<void> {
    const overtaken = waiting.get(url) ?? [];
    waiting.delete(url);
    for (const { next, sent } of overtaken) {
      next.resolve();
      await sent;
    }
  }

  /** One delivery to a URL at a time, in the order of the calls. */
  function sendInOrder(request: DeliveryRequest, fault: InjectedFault | undefined): Promise<AttemptOutcome | undefined> {
    const { url } = request;
    const sent = (turns.get(url) ?? Promise.resolve()).then(() => (fault ? sendWithFault(request, fault) : sender.send(request)));
    const turn = sent.then(() => sendWaiting(url)).finally(() => turns.get(url) === turn && turns.delete(url));
    turns.set(url, turn);
    return sent;
  }

  return {
    send(request) {
      if (!faults.hasFaults()) return sender.send(request);
      const fault = faults.matchDelivery(request.url);
      if (fault?.waitsForNext === true) return sendAfterNext(request, fault);
      if (faults.hasPlan() && !fault?.latencyMs) return sendInOrder(request, fault);
      return fault ? sendWithFault(request, fault) : sender.send(request);
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
