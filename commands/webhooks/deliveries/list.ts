import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { renameEventType, restoreEventType } from '../../../src/cli/base-commands/webhook-command.ts';
import type { Parsed } from '../../../src/cli/base-commands/service-command.ts';
import { formatCount } from '../../../src/cli/output/numbers.ts';
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
    const parsed = restoreEventType(await this.parse(WebhooksDeliveriesList));
    const columns = ['updatedAt', 'eventType', 'status', 'lastHttpStatus', 'lastError', 'attempts', 'createdAt', 'id'];
    const count = await this.list(listDeliveries, parsed, columns, { neverTruncated: ['lastError'] });
    if (count === 0 && parsed.flags['status'] === 'failed' && process.stdout.isTTY) await this.noteRetrying(parsed);
  }

  /** A delivery has failed when no attempts are left, which takes hours. */
  private async noteRetrying(parsed: Parsed): Promise<void> {
    const { params, query } = await this.toRequestParts(listDeliveries, await this.resolveInstants(listDeliveries, parsed));
    const client = await this.connect();
    const reply = await client.perform(listDeliveries, { params, query: { ...query, status: 'retrying', page_size: 1 } });
    const { total } = reply.body.pagination;
    if (total > 0) this.printNote(`${formatCount(total)} ${total === 1 ? 'is' : 'are'} still retrying; list them with --status retrying`);
  }
}
