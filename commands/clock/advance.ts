import { Args } from '@oclif/core';
import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { advanceClock } from '../../src/contract/admin/clock.ts';

export default class ClockAdvance extends SettingsCommand {
  static override summary = 'Move the test clock forward';
  static override description = 'Needs a daemon started with --test-clock. Every timer of the daemon follows.';
  static override args = { by: Args.string({ required: true, ignoreStdin: true, description: 'Such as 90s, 25h or 30d.' }) };
  static override examples = ['<%= config.bin %> clock advance 25h', '<%= config.bin %> clock advance 90s --json'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ClockAdvance);
    await this.write(advanceClock, { args, flags }, { by: args.by });
  }
}
