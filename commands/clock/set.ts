import { Args } from '@oclif/core';
import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { parseLocalTime } from '../../src/cli/input/timestamp.ts';
import { clockTenantFlag, moveClock } from '../../src/cli/settings/tenant-clock.ts';
import { setClock } from '../../src/contract/admin/clock.ts';

export default operationCommand(setClock, {
  summary: 'Set the test clock to a time',
  description:
    'Requires a daemon started with --test-clock. The time may be in the past, and is local without an offset; the clock continues from there.',
  args: {
    at: Args.string({ required: true, description: 'Timestamp such as 2026-12-31T23:59:00Z.' }),
  },
  without: ['at'],
  flags: clockTenantFlag,
  examples: ['clock set 2026-12-31T23:59:00Z', 'clock set 2027-01-01T00:00:00Z --json'],
  run: (context) => moveClock(context, setClock, { at: parseLocalTime(context.args.at) ?? context.args.at }),
});
