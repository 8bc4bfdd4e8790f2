import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { listConsentRequests } from '../../src/contract/admin/oauth.ts';

export default class OauthRequests extends AdminCommand {
  static override summary = 'List pending authorization requests';
  static override examples = ['<%= config.bin %> oauth requests', '<%= config.bin %> oauth requests -o id'];

  async run(): Promise<void> {
    const columns = ['id', 'application', 'redirectHost', 'expiresAt', 'scopes'];
    await this.list(listConsentRequests, await this.parse(OauthRequests), columns, { neverTruncated: ['id', 'redirectHost', 'expiresAt'] });
  }
}
