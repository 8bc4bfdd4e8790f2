import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { listConsentRequests } from '../../src/contract/admin/oauth.ts';

export default class OauthRequests extends SettingsCommand {
  static override summary = 'List the authorization requests that wait for an answer';
  static override examples = ['<%= config.bin %> oauth requests', '<%= config.bin %> oauth requests -o id'];

  async run(): Promise<void> {
    const columns = ['id', 'application', 'redirectHost', 'expiresAt', 'scopes'];
    await this.list(listConsentRequests, await this.parse(OauthRequests), columns, { whole: ['id', 'redirectHost', 'expiresAt'] });
  }
}
