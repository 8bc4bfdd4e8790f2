import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { resetClock } from '../../src/contract/admin/clock.ts';

export default class ClockReset extends AdminCommand {
  static override summary = 'Reset the test clock to the system time';
  static override examples = ['<%= config.bin %> clock reset', '<%= config.bin %> clock reset --json'];

  async run(): Promise<void> {
    await this.write(resetClock, await this.parse(ClockReset));
  }
}
