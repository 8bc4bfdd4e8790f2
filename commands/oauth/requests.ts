import { SettingsCommand } from '../../src/cli/base-commands/settings-command.ts';
import { listConsentRequests } from '../../src/contract/admin/oauth.ts';

export default class OauthRequests extends SettingsCommand {
  static override summary = 'List pending authorization requests';
  static override examples = ['<%= config.bin %> oauth requests', '<%= config.bin %> oauth requests -o id'];

  async run(): Promise<void> {
    const columns = ['id', 'application', 'redirectHost', 'expiresAt', 'scopes'];
    await this.list(listConsentRequests, await this.parse(OauthRequests), columns, { neverTruncated: ['id', 'redirectHost', 'expiresAt'] });
  }
}
