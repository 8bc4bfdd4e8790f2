import type { StockroomStore } from '../../../domain/tables.ts';
import type { ServiceClock } from './clock.ts';

/** Lets the clock continue after the latest stored record. Returns a warning when that is too far ahead of the system time. */
export async function resumeClock(store: StockroomStore, clock: ServiceClock): Promise<string | undefined> {
  const latest = await findLatestTimestamp(store, clock);
  return latest && clock.resumeAfter(latest) > 0 ? describeSkew(latest, clock.now()) : undefined;
}

const describeSkew = (latest: Date, now: Date): string =>
  `The latest change was recorded at ${latest.toISOString()}, but the system clock says ${now.toISOString()}. ` +
  'Until that time, new changes are sorted before it: to follow the audit trail, start again without a cursor and with `until` before it.';

/** The time of the latest audit row of all tenants, by the clock of the service; every change writes one. Undefined for an empty store. */
export async function findLatestTimestamp(store: StockroomStore, clock: ServiceClock): Promise<Date | undefined> {
  const rows = await store.readFirstRows('auditEvents', { descending: true });
  const times = rows.map(({ tenant, row }) => Date.parse(row.createdAt) - clock.getAheadMs(tenant));
  return times.length === 0 ? undefined : new Date(times.reduce((latest, time) => Math.max(latest, time)));
}
