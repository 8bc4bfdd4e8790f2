import { writeFlags } from '../../src/cli/input/request-body.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { deleteSite } from '../../src/contract/admin/sites.ts';

export default class SitesDelete extends AdminCommand {
  static override summary = 'Delete an unused site';
  /** Takes several ids. */
  static override strict = false;
  static override args = paramArgs(deleteSite);
  static override flags = { ...yesFlag, 'dry-run': writeFlags['dry-run'], ...tenantFlag };
  static override examples = ['<%= config.bin %> sites delete NORTH', '<%= config.bin %> sites delete NORTH --yes'];

  async run(): Promise<void> {
    await this.remove(deleteSite, await this.parse(SitesDelete), 'site');
  }
}
