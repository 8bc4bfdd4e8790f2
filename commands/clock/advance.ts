import { Args } from '@oclif/core';
import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { advanceClock } from '../../src/contract/admin/clock.ts';

export default class ClockAdvance extends AdminCommand {
  static override summary = 'Move the test clock forward';
  static override description =
    'Requires a daemon started with --test-clock. All timers follow the clock, and webhooks are signed with its time (docs/webhooks.md says how receivers verify them).';
  static override args = { by: Args.string({ required: true, ignoreStdin: true, description: 'Duration such as 90s, 25h or 30d.' }) };
  static override examples = ['<%= config.bin %> clock advance 25h', '<%= config.bin %> clock advance 90s --json'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ClockAdvance);
    await this.write(advanceClock, { args, flags }, { by: args.by });
  }
}
