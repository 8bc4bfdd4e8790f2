import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { listTiers } from '../../src/contract/admin/tiers.ts';

export default class TiersList extends AdminCommand {
  static override summary = 'List rate-limit tiers';
  static override examples = ['<%= config.bin %> tiers list', '<%= config.bin %> tiers list --json'];

  async run(): Promise<void> {
    await this.list(listTiers, await this.parse(TiersList), ['name', 'requestsPerMinute']);
  }
}
