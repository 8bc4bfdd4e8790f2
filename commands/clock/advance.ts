import { Args } from '@oclif/core';
import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import { advanceClock } from '../../src/contract/admin/clock.ts';

export default operationCommand(advanceClock, {
  description:
    'Requires a daemon started with --test-clock. All timers follow the clock, and webhooks are signed with its time (docs/webhooks.md says how receivers verify them).',
  args: { by: Args.string({ required: true, ignoreStdin: true, description: 'Duration such as 90s, 25h or 30d.' }) },
  without: ['by'],
  examples: ['clock advance 25h', 'clock advance 90s --json'],
  run: async (context) => void (await writeRecord(context, advanceClock, { by: context.args.by })),
});
