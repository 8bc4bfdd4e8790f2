/** The audit trail, the event log and the deliveries as they are stored. */
import type { ChangeEvent } from '../../contract/change-events.ts';
import type { SubscribableEvent } from '../../contract/events.ts';
import type { ActorType } from '../../contract/resources/audit.ts';
import type { DeliveryError, DeliveryStatus } from '../../contract/resources/webhooks.ts';

export interface AuditRecord {
  readonly id: string;
  readonly actorType: ActorType;
  readonly actorId: string;
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly ipAddress: string | null;
  readonly createdAt: string;
}

export interface EventRecord {
  /** Also `data.eventId` and the dedupe identity of deliveries. */
  readonly id: string;
  readonly event: ChangeEvent;
  /** Counts the tenant's events from 1 in commit order, without gaps. */
  readonly position: number;
  readonly resourceId: string;
  readonly occurredAt: string;
  /** The exact body of every delivery: `{"event":…,"data":…}`. */
  readonly body: string;
  /** The position of the change in a trace; absent outside of one. */
  readonly traceparent?: string;
}

/** What a receiver answered to a failed attempt. Only the daemon's owner can read it. */
export interface AttemptResponse {
  /** The recorded headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The start of the body. */
  readonly body: string;
  readonly isTruncated: boolean;
}

/**
 * The steps of an attempt in milliseconds: how long the delivery was due before it started; from its start until the connection and until
 * the response, null if there was none; from its end until its result was stored.
 */
export type AttemptTiming = readonly [waited: number, connected: number | null, answered: number | null, stored: number];

/** One attempt at a delivery. */
export interface AttemptRecord {
  readonly at: string;
  readonly milliseconds: number;
  readonly httpStatus: number | null;
  readonly error: DeliveryError | null;
  /** Absent in attempts of earlier releases. */
  readonly timing?: AttemptTiming;
  /** Only in the latest failed attempt with a response, to keep rows small. */
  readonly response?: AttemptResponse;
}

export interface DeliveryRecord {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: SubscribableEvent;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** Absent before the first attempt, like `lastHttpStatus` and `history`, to keep rows small. */
  readonly lastError?: DeliveryError | null;
  readonly lastHttpStatus?: number | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The endpoint's id while the delivery is open, then null. With `dueAt` it forms one index for due and for oldest ended deliveries. */
  readonly queue: string | null;
  /** When the next attempt is due; for an ended delivery, when it ended. */
  readonly dueAt: string;
  /** Resent before its next attempt was due: when that is due if the resend fails. */
  readonly scheduledAt?: string;
  /** Attempts of such resends, which take none of the retries; absent for 0. */
  readonly uncounted?: number;
  /** Resent manually: one attempt without retries. */
  readonly manual?: true;
  /** Resent although it was delivered before: it stays delivered, whatever becomes of the resend. */
  readonly wasDelivered?: true;
  /** The latest attempts, oldest first. */
  readonly history?: readonly AttemptRecord[];
}
