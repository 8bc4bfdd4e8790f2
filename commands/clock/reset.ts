import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { resetClock } from '../../src/contract/admin/clock.ts';

export default class ClockReset extends SettingsCommand {
  static override summary = 'Put the test clock back to the real time';
  static override examples = ['<%= config.bin %> clock reset', '<%= config.bin %> clock reset --json'];

  async run(): Promise<void> {
    await this.write(resetClock, await this.parse(ClockReset));
  }
}
