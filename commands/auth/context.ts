import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { getAuthContext } from '../../src/contract/resources/auth-context.ts';

export default class AuthContext extends ApiCommand {
  static override summary = 'Show the current key, its tenant and its scopes';
  static override examples = ['<%= config.bin %> auth context', '<%= config.bin %> auth context --columns tenant.plan,api_key.scopes'];

  async run(): Promise<void> {
    await this.show(getAuthContext, await this.parse(AuthContext));
  }
}
