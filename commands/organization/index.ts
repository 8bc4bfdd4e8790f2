import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';

import { getOrganization } from '../../src/contract/resources/organization.ts';

export default class Organization extends ApiCommand {
  static override summary = 'Show the organization profile of the tenant';
  static override examples = ['<%= config.bin %> organization', '<%= config.bin %> organization --json'];

  async run(): Promise<void> {
    await this.show(getOrganization, await this.parse(Organization));
  }
}
