/** The clock of a tenant: how far it is ahead of that of the service is stored with the tenant (S-4). */
import type { BodyOf } from '../../contract/operation.ts';
import type { moveTenantClock } from '../../contract/admin/tenants.ts';
import { invalidField } from '../../domain/kernel/errors.ts';
import type { TenantRecord } from '../../domain/kernel/tenant.ts';
import { isAdjustable, parseStep, parseTime } from './clock.ts';
import type { AdminServices } from './handler.ts';

type Services = Pick<AdminServices, 'clock' | 'history'>;

export function presentTenantClock({ clock }: Pick<AdminServices, 'clock'>, { id }: TenantRecord) {
  const aheadSeconds = Math.round(clock.getAheadMs(id) / 1_000);
  const offsetSeconds = aheadSeconds + (isAdjustable(clock) ? clock.offsetSeconds : 0);
  return { now: clock.now(id).toISOString(), offsetSeconds, aheadSeconds };
}

/** Returns by how many milliseconds the clock is to be ahead. Throws 400 for a time beyond the limits, or two of them. */
export function toAheadMs({ clock }: Services, { id }: TenantRecord, { by, at }: BodyOf<typeof moveTenantClock>): number {
  if (by !== undefined && at !== undefined) throw invalidField('/at', 'at and by exclude each other', 'not_allowed');
  if (by !== undefined) return clock.getAheadMs(id) + parseStep(by, clock.now(id));
  return at === undefined ? 0 : parseTime(at).getTime() - clock.now().getTime();
}

/** Lets the service follow the clock of a tenant at once, which was stored with it. */
export async function followClock(
  { clock, history }: Services,
  before: TenantRecord,
  { id, clockAheadMs = 0 }: TenantRecord,
): Promise<void> {
  clock.setAheadMs(id, clockAheadMs);
  if (clockAheadMs < (before.clockAheadMs ?? 0)) await history.resetTime(id);
}
