import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { deleteWebhook } from '../../src/contract/resources/webhooks.ts';

export default class WebhooksDelete extends ApiCommand {
  static override summary = 'Delete a webhook endpoint and its deliveries';
  /** Takes several ids. */
  static override strict = false;
  static override args = paramArgs(deleteWebhook);
  static override flags = { ...yesFlag, 'dry-run': writeFlags['dry-run'] };
  static override examples = ['<%= config.bin %> webhooks delete shop-sync', '<%= config.bin %> webhooks delete shop-sync --yes'];

  async run(): Promise<void> {
    await this.remove(deleteWebhook, await this.parse(WebhooksDelete), 'webhook');
  }
}
