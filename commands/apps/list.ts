import { APP_COLUMNS } from '../../src/cli/base-commands/app-command.ts';
import { listFlags } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { listApps } from '../../src/contract/admin/apps.ts';

export default class AppsList extends AdminCommand {
  static override summary = 'List partner applications';
  static override flags = listFlags(listApps);
  static override examples = ['<%= config.bin %> apps list', '<%= config.bin %> apps list --status pending --columns name,clientId'];

  async run(): Promise<void> {
    await this.list(listApps, await this.parse(AppsList), APP_COLUMNS, { neverTruncated: ['clientId'] });
  }
}
