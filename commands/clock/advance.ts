import { Args } from '@oclif/core';
import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { clockTenantFlag, moveClock } from '../../src/cli/settings/tenant-clock.ts';
import { advanceClock } from '../../src/contract/admin/clock.ts';

export default operationCommand(advanceClock, {
  description:
    'Requires a daemon started with --test-clock. All timers follow the clock, and webhooks are signed with its time (docs/webhooks.md says how receivers verify them).',
  args: { by: Args.string({ required: true, description: 'Duration such as 90s, 25h or 30d.' }) },
  without: ['by'],
  flags: clockTenantFlag,
  examples: ['clock advance 25h', 'clock advance 2h --tenant shop', 'clock advance 90s --json'],
  run: (context) => moveClock(context, advanceClock, { by: context.args.by }),
});
