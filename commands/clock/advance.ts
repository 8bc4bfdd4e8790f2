import { defineCommand } from '../../src/cli/command/define-command.ts';
import { writeRecord } from '../../src/cli/records/write-record.ts';
import { adminAccess } from '../../src/cli/session/admin-session.ts';
import { advanceClock } from '../../src/contract/admin/clock.ts';
import { Args } from '@oclif/core';

export default defineCommand({
  access: adminAccess,
  summary: 'Move the test clock forward',
  description:
    'Requires a daemon started with --test-clock. All timers follow the clock, and webhooks are signed with its time (docs/webhooks.md says how receivers verify them).',
  args: { by: Args.string({ required: true, ignoreStdin: true, description: 'Duration such as 90s, 25h or 30d.' }) },
  examples: ['clock advance 25h', 'clock advance 90s --json'],
  async run(context) {
    const { args } = context;
    await writeRecord(context, advanceClock, { by: args.by });
  },
});
