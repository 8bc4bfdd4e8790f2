import { viewOf } from '../../src/cli/service-command.ts';
import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { createLoginCode } from '../../src/contract/admin/oauth.ts';
import type { ResultOf } from '../../src/contract/operation.ts';

export default class OauthLogin extends SettingsCommand {
  static override summary = 'Make a code that shows a consent page that this stockroom is yours';
  static override description = 'The code works for one page. Give it to nobody who asks for it.';
  static override examples = ['<%= config.bin %> oauth login', '<%= config.bin %> oauth login --json'];

  async run(): Promise<void> {
    const reply = await this.submit(createLoginCode, await this.parse(OauthLogin));
    if (!reply) return;
    const { data, code } = reply.body as ResultOf<typeof createLoginCode>;
    const view = viewOf(createLoginCode);
    const shown = { fields: ['code', ...view.fields], columns: ['code', ...view.columns] };
    await this.printOne({ data: { code, ...data } }, shown, reply.text);
  }
}
