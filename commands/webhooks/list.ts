import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { listFlags } from '../../src/cli/input/operation-flags.ts';
import { listWebhooks } from '../../src/contract/resources/webhooks.ts';

export default class WebhooksList extends ApiCommand {
  static override summary = 'List webhook endpoints';
  static override flags = { ...listFlags(listWebhooks) };
  static override examples = ['<%= config.bin %> webhooks list', '<%= config.bin %> webhooks list --status disabled'];

  async run(): Promise<void> {
    const columns = ['id', 'name', 'status', 'targetUrl', 'subscribedEvents', 'environment', 'updatedAt'];
    await this.list(listWebhooks, await this.parse(WebhooksList), columns);
  }
}
