import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { clockTenantFlag, moveClock } from '../../src/cli/settings/tenant-clock.ts';
import { resetClock } from '../../src/contract/admin/clock.ts';

export default operationCommand(resetClock, {
  description: 'With --tenant, to the time of the service.',
  flags: clockTenantFlag,
  examples: ['clock reset', 'clock reset --tenant shop --json'],
  run: (context) => moveClock(context, resetClock),
});
