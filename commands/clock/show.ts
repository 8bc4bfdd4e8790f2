import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { showRecord } from '../../src/cli/records/write-record.ts';
import { clockTenantFlag, getClockTenant } from '../../src/cli/settings/tenant-clock.ts';
import { showClock } from '../../src/contract/admin/clock.ts';
import { showTenantClock } from '../../src/contract/admin/tenants.ts';

export default operationCommand(showClock, {
  flags: clockTenantFlag,
  examples: ['clock show', 'clock show --tenant shop --json'],
  run(context) {
    const tenant = getClockTenant(context);
    return tenant ? showRecord(tenant, showTenantClock) : showRecord(context, showClock);
  },
});
