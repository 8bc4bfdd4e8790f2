/**
 * The states of a delivery: one row per event and endpoint, written in the commit of the change. W-1 to W-3.
 *
 *   pending    no attempt yet. Left by the first attempt, or discarded.
 *   retrying   all attempts failed so far, the next is scheduled. Left by that attempt, or discarded.
 *   delivered  the endpoint responded with 2xx.     \
 *   failed     no attempts left, or a 410 response.  > final; only a resend makes the delivery pending again. One that was delivered
 *   discarded  will not be sent.                    /  before is delivered again after a resend that failed or was discarded.
 *
 * An attempt in progress is known in memory only. After a crash the row is in the state before the attempt, which is repeated with the same
 * event id: delivery is at least once.
 */
import type { SubscribableEvent } from '../../contract/events.ts';
import type { DeliveryError } from '../../contract/resources/webhooks.ts';
import type { AttemptRecord, AttemptResponse, AttemptTiming, DeliveryRecord } from './records.ts';
import { type RetryRules, getRetryDelayMs } from './retry-schedule.ts';

/** The outcome of one attempt. */
export interface AttemptOutcome {
  /** Part of the signed text, so that the signature can be recreated. */
  readonly startedAt: Date;
  readonly milliseconds: number;
  readonly httpStatus: number | null;
  /** Null after a 2xx response. */
  readonly error: DeliveryError | null;
  readonly retryAfterSeconds: number | null;
  /** From the start in milliseconds; null if there was none. Absent if no request was sent. */
  readonly timing?: { readonly connected: number | null; readonly answered: number | null };
  /** Absent after a success, and if the receiver did not respond. */
  readonly response?: AttemptResponse;
}

const MAX_HISTORY = 25;

/** Whether the delivery is still to be sent. */
export const isOpen = ({ status }: Pick<DeliveryRecord, 'status'>): boolean => status === 'pending' || status === 'retrying';

/** A pending delivery of an event to an endpoint, due immediately. */
export function createDelivery(id: string, webhookId: string, event: { id: string; name: SubscribableEvent }, at: string): DeliveryRecord {
  return {
    id,
    webhookId,
    eventId: event.id,
    eventType: event.name,
    status: 'pending',
    attempts: 0,
    createdAt: at,
    updatedAt: at,
    queue: webhookId,
    dueAt: at,
  };
}

/**
 * The delivery after an attempt. `random`, from 0 to 1, adds jitter to retries; without `storedAt` no timing is recorded. A delivery that was discarded during the attempt stays
 * discarded, unless the attempt succeeded.
 */
export function applyAttempt(
  delivery: DeliveryRecord,
  outcome: AttemptOutcome,
  rules: RetryRules,
  random: number,
  storedAt?: Date,
): DeliveryRecord {
  const { startedAt, milliseconds, httpStatus, error, response } = outcome;
  const now = new Date(startedAt.getTime() + milliseconds);
  const at = now.toISOString();
  const attemptNumber = delivery.attempts + 1;
  const timing = storedAt && toTiming(delivery, outcome, storedAt);
  const attempt: AttemptRecord = {
    at: startedAt.toISOString(),
    milliseconds,
    httpStatus,
    error,
    ...(timing && { timing }),
    ...(response && { response }),
  };
  const { id, webhookId, eventId, eventType, createdAt, updatedAt, history = [] } = delivery;
  const attempted = {
    id,
    webhookId,
    eventId,
    eventType,
    attempts: attemptNumber,
    lastHttpStatus: httpStatus,
    createdAt,
    updatedAt: at > updatedAt ? at : updatedAt,
    history: [...(response ? history.map(dropResponse) : history), attempt].slice(-MAX_HISTORY),
  };
  if (error === null) return { ...attempted, status: 'delivered', lastError: null, queue: null, dueAt: at };
  if (!isOpen(delivery)) {
    const { status, lastError = null, queue, dueAt } = delivery;
    return { ...attempted, status, lastError, queue, dueAt };
  }
  const { scheduledAt } = delivery;
  const uncounted = (delivery.uncounted ?? 0) + (scheduledAt === undefined ? 0 : 1);
  const delay = scheduledAt === undefined ? rules.scheduleSeconds[attemptNumber - 1 - uncounted] : 0;
  if (delivery.wasDelivered) return { ...attempted, status: 'delivered', lastError: error, queue: null, dueAt: at };
  if (error === 'endpoint_gone' || delivery.manual || delay === undefined) {
    return { ...attempted, status: 'failed', lastError: error, queue: null, dueAt: at };
  }
  const earliest = new Date(now.getTime() + getRetryDelayMs(delay, outcome, rules, random)).toISOString();
  const dueAt = scheduledAt !== undefined && scheduledAt > earliest ? scheduledAt : earliest;
  const rest = uncounted === 0 ? {} : { uncounted };
  return { ...attempted, status: 'retrying', lastError: error, queue: delivery.webhookId, dueAt, ...rest };
}

function toTiming(
  { dueAt }: DeliveryRecord,
  { startedAt, milliseconds, timing }: AttemptOutcome,
  storedAt: Date,
): AttemptTiming | undefined {
  if (timing === undefined) return undefined;
  const start = startedAt.getTime();
  // The clock may have been set back.
  const [waited, stored] = [start - Date.parse(dueAt), storedAt.getTime() - start - milliseconds].map((length) => Math.max(0, length));
  return [waited ?? 0, timing.connected, timing.answered, stored ?? 0];
}

const dropResponse = ({ response: _response, ...attempt }: AttemptRecord): AttemptRecord => attempt;

/** The delivery, discarded without a further attempt; one that was delivered before is delivered. */
export const toDiscarded = (delivery: DeliveryRecord, reason: DeliveryError, now: Date): DeliveryRecord => {
  const at = now.toISOString();
  const { manual: _manual, scheduledAt: _scheduled, wasDelivered = false, ...rest } = delivery;
  return {
    ...rest,
    status: wasDelivered ? 'delivered' : 'discarded',
    lastError: reason,
    updatedAt: at > delivery.updatedAt ? at : delivery.updatedAt,
    queue: null,
    dueAt: at,
  };
};
