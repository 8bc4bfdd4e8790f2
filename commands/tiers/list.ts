import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { listTiers } from '../../src/contract/admin/tiers.ts';

export default class TiersList extends SettingsCommand {
  static override summary = 'List the rate-limit tiers in force';
  static override examples = ['<%= config.bin %> tiers list', '<%= config.bin %> tiers list --json'];

  async run(): Promise<void> {
    await this.list(listTiers, await this.parse(TiersList), ['name', 'requestsPerMinute']);
  }
}
