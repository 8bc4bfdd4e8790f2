import type { StockroomStore } from '../../../domain/tables.ts';
import { MAX_SLEW_MS, type ServiceClock } from './clock.ts';

/** Lets the clock continue after the latest stored record. Returns a warning when that is too far ahead of the system time. */
export async function resumeClock(store: StockroomStore, clock: ServiceClock): Promise<string | undefined> {
  const latest = await findLatestTimestamp(store, clock);
  return latest && clock.resumeAfter(latest) > 0 ? describeSkew(latest, clock.now()) : undefined;
}

/** The same sentences while the latest stored record is that far ahead. A test clock is ahead on purpose. */
export async function explainFutureChange(store: StockroomStore, clock: ServiceClock): Promise<string | undefined> {
  const latest = 'advance' in clock ? undefined : await findLatestTimestamp(store, clock);
  const now = clock.now();
  return latest && latest.getTime() - now.getTime() > MAX_SLEW_MS ? describeSkew(latest, now) : undefined;
}

const describeSkew = (latest: Date, now: Date): string =>
  `The latest change has the time ${latest.toISOString()}, but it is ${now.toISOString()} by the system clock: one of them was or is wrong, or the data is from a test clock. ` +
  'Nothing is lost. Until that time, the audit trail lists new changes before it, so a program that continues an export of the audit trail from its last cursor misses them: ' +
  'let it export once without a cursor, with an `until` before that time, and continue from the cursor it gets.';

/** The time of the latest audit row of all tenants, by the clock of the service; every change writes one. Undefined for an empty store. */
export async function findLatestTimestamp(store: StockroomStore, clock: ServiceClock): Promise<Date | undefined> {
  const rows = await store.readFirstRows('auditEvents', { descending: true });
  const times = rows.map(({ tenant, row }) => Date.parse(row.createdAt) - clock.getAheadMs(tenant));
  return times.length === 0 ? undefined : new Date(times.reduce((latest, time) => Math.max(latest, time)));
}
