import { getView } from '../../src/cli/base-commands/service-command.ts';
import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { createLoginCode } from '../../src/contract/admin/oauth.ts';
import type { ResultOf } from '../../src/contract/operation.ts';

export default class OauthLogin extends AdminCommand {
  static override summary = 'Generate a one-time code for the consent page';
  static override description = 'Enter the code on the consent page to prove that you own this service. Do not share it.';
  static override examples = ['<%= config.bin %> oauth login', '<%= config.bin %> oauth login --json'];

  async run(): Promise<void> {
    const parsed = await this.parse(OauthLogin);
    const view = getView(createLoginCode);
    const shown = this.validateOutput({ fields: ['code', ...view.fields], columns: ['code', ...view.columns] });
    const reply = await this.submit(createLoginCode, parsed);
    if (!reply) return;
    const { data, code } = reply.body as ResultOf<typeof createLoginCode>;
    await this.printOne({ data: { code, ...data } }, shown, reply.text);
  }
}
