import { ApiCommand } from '../../src/cli/api-command.ts';
import { getAuthContext } from '../../src/contract/auth-context.ts';

export default class AuthContext extends ApiCommand {
  static override summary = 'Show who you are: the key, its tenant and what it may do';
  static override examples = ['<%= config.bin %> auth context', '<%= config.bin %> auth context --columns tenant.plan,api_key.scopes'];

  async run(): Promise<void> {
    await this.show(getAuthContext, await this.parse(AuthContext));
  }
}
