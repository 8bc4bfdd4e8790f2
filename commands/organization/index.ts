import { ApiCommand } from '../../src/cli/api-command.ts';

import { getOrganization } from '../../src/contract/organization.ts';

export default class Organization extends ApiCommand {
  static override summary = 'Show the profile of your organization';
  static override examples = ['<%= config.bin %> organization', '<%= config.bin %> organization --json'];

  async run(): Promise<void> {
    await this.show(getOrganization, await this.parse(Organization));
  }
}
