import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { renameEventType, restoreEventType } from '../../../src/cli/base-commands/webhook-command.ts';
import { listFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { listDeliveries } from '../../../src/contract/resources/webhooks.ts';

export default class WebhooksDeliveriesList extends ApiCommand {
  static override summary = 'List the deliveries of a webhook endpoint';
  /** Its name in earlier releases. */
  static override hiddenAliases = ['webhooks:deliveries'];
  static override args = paramArgs(listDeliveries);
  static override flags = renameEventType(listFlags(listDeliveries));
  static override examples = [
    '<%= config.bin %> webhooks deliveries list 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e',
    '<%= config.bin %> webhooks deliveries list 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e --status failed --all',
  ];

  async run(): Promise<void> {
    const columns = ['id', 'eventType', 'status', 'attempts', 'lastHttpStatus', 'lastError', 'createdAt', 'updatedAt'];
    await this.list(listDeliveries, restoreEventType(await this.parse(WebhooksDeliveriesList)), columns);
  }
}
