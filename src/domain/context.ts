/** Who asks, when, and in which tenant: what every domain function that changes something is told. */
import type { WrittenEvent } from './changes.ts';
import type { Actor, TenantRecord } from './tenants.ts';
import type { NewId } from './ports.ts';

export interface Context {
  readonly tenant: TenantRecord;
  readonly actor: Actor;
  readonly requestId: string;
  readonly ipAddress: string | null;
  /** Fixed for the whole transaction; never earlier than that of a transaction before it. */
  readonly now: Date;
  readonly newId: NewId;
  /** Generated data is no history: `note` writes neither audit row nor event. Never set for a request. */
  readonly unrecorded?: true;
  /** SHA-256 of the Idempotency-Key, for the audit row. */
  readonly idempotencyKeyHash?: string;
  /** Kept by `note`: the events written so far, by name and resource. Every attempt of a transaction has a context of its own. */
  written?: Map<string, WrittenEvent>;
}

/** The next `updatedAt` of a record: now, but always later than the one before (invariant 20). */
export function nextTimestamp(now: Date, previous?: string): string {
  const at = now.toISOString();
  // Timestamps of four-digit years sort like their texts.
  if (previous === undefined || previous < at) return at;
  return new Date(Date.parse(previous) + 1).toISOString();
}

/** The calendar day of an instant in a time zone, YYYY-MM-DD. */
export function dayIn(timeZone: string, at: Date): string {
  // A change asks several times about its own instant, and formatting takes as long as writing a row.
  if (lastDay.timeZone !== timeZone || lastDay.time !== at.getTime()) {
    lastDay = { timeZone, time: at.getTime(), day: dayFormat(timeZone).format(at) };
  }
  return lastDay.day;
}

let lastDay = { timeZone: '', time: 0, day: '' };

const dayFormats = new Map<string, Intl.DateTimeFormat>();
function dayFormat(timeZone: string): Intl.DateTimeFormat {
  let format = dayFormats.get(timeZone);
  if (!format) {
    // Swedish is the locale whose short date is ISO 8601.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    dayFormats.set(timeZone, format);
  }
  return format;
}

/** The day `days` after another, both YYYY-MM-DD. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
