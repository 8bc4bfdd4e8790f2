import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { getWebhook } from '../../src/contract/resources/webhooks.ts';

export default class WebhooksGet extends ApiCommand {
  static override summary = 'Show a webhook endpoint';
  static override args = paramArgs(getWebhook);
  static override examples = ['<%= config.bin %> webhooks get shop-sync', '<%= config.bin %> webhooks get shop-sync -o yaml'];

  async run(): Promise<void> {
    await this.show(getWebhook, await this.parse(WebhooksGet));
  }
}
