import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { showClock } from '../../src/contract/admin/clock.ts';

export default class ClockShow extends AdminCommand {
  static override summary = 'Show the time of the service';
  static override examples = ['<%= config.bin %> clock show', '<%= config.bin %> clock show --json'];

  async run(): Promise<void> {
    await this.show(showClock, await this.parse(ClockShow));
  }
}
