/** Who makes a change, when, and in which tenant: an argument of every domain function that changes something. */
import type { ChangeEvent } from '../../contract/change-events.ts';
import type { Actor, TenantRecord } from './tenant.ts';
import type { NewId } from './ports.ts';

/** An event of the current transaction. Later changes of the same resource are merged into it. */
export interface RecordedEvent {
  readonly id: string;
  readonly name: ChangeEvent;
  readonly position: number;
  readonly changes: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** An endpoint that may get events. */
interface Endpoint {
  readonly id: string;
  readonly status: 'active' | 'paused' | 'disabled';
  readonly subscribedEvents: readonly string[];
}

/** Who makes a change, and with which request. */
export interface ChangeOrigin {
  readonly actor: Actor;
  readonly requestId: string;
  readonly ipAddress: string | null;
}

export interface Context extends ChangeOrigin {
  readonly tenant: TenantRecord;
  /** The same instant throughout a transaction, and never earlier than in previous transactions. */
  readonly now: Date;
  readonly newId: NewId;
  /** Set where ids are repeatable: ids of the events that only the change log has, which then shift no others. */
  readonly newLogEventId?: NewId;
  /** Set for generated data: `recordChange` writes neither audit row nor event. Never set for a request. */
  readonly unrecorded?: true;
  /** The position of the change in a trace. */
  readonly traceparent?: string | undefined;
  /** SHA-256 of the Idempotency-Key. */
  readonly idempotencyKeyHash?: string;
  /** Maintained by `recordChange`: the events of the transaction, by name and resource. Each attempt of a transaction gets a new context. */
  recordedEvents?: Map<string, RecordedEvent>;
  /** Maintained by `recordChange`: the position of its latest event. */
  lastPosition?: number;
  /** Maintained by `recordChange`: the endpoints of the tenant, read once at the first event. Safe, because no transaction changes endpoints and then emits events. */
  endpoints?: readonly Endpoint[];
}

/** The next `updatedAt` of a record: `now`, or one millisecond after the previous one if that is later (updates of a record never have the same time). */
export function getNextTimestamp(now: Date, previous?: string): string {
  const at = now.toISOString();
  // ISO timestamps with four-digit years sort as text.
  if (previous === undefined || previous < at) return at;
  return new Date(Date.parse(previous) + 1).toISOString();
}

/** The calendar day of an instant in a time zone, YYYY-MM-DD. */
export function toCalendarDay(timeZone: string, at: Date): string {
  // One change asks several times for the same instant, and formatting costs as much as writing a row.
  if (lastDay.timeZone !== timeZone || lastDay.time !== at.getTime()) {
    lastDay = { timeZone, time: at.getTime(), day: getDayFormat(timeZone).format(at) };
  }
  return lastDay.day;
}

let lastDay = { timeZone: '', time: 0, day: '' };

const dayFormats = new Map<string, Intl.DateTimeFormat>();
function getDayFormat(timeZone: string): Intl.DateTimeFormat {
  let format = dayFormats.get(timeZone);
  if (!format) {
    // The short date of the Swedish locale is ISO 8601.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    dayFormats.set(timeZone, format);
  }
  return format;
}

/** The calendar day `days` after `day`, both YYYY-MM-DD. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
