/** The test clock in commands: of the service, or with `--tenant` of one tenant. */
import { Flags } from '@oclif/core';
import type { Operation } from '../../contract/operation.ts';
import { moveTenantClock } from '../../contract/admin/tenants.ts';
import { requireValue } from '../input/common-flags.ts';
import { type ExtraFields, writeRecord } from '../records/write-record.ts';
import type { ServiceContext } from '../session/session.ts';

/** Not that of other commands, which may have a default: without it, the clock is that of the service. */
export const clockTenantFlag = {
  tenant: Flags.string({ ...requireValue('tenant'), helpValue: 'SLUG', description: 'Only the clock of this tenant.' }),
};

export async function moveClock(context: ServiceContext, op: Operation, fields: ExtraFields = {}): Promise<void> {
  const tenant = getClockTenant(context);
  await (tenant ? writeRecord(tenant, moveTenantClock, fields) : writeRecord(context, op, fields));
}

/** The context of an operation on the clock of a tenant; undefined for that of the service. */
export function getClockTenant(context: ServiceContext): ServiceContext | undefined {
  const { tenant } = context.flags;
  return typeof tenant === 'string' ? { ...context, args: { tenant } } : undefined;
}
