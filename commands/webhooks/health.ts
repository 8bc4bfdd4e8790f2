import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { listHealth } from '../../src/contract/admin/webhooks.ts';

export default class WebhooksHealth extends AdminCommand {
  static override summary = 'List the health of every webhook endpoint';
  static override description = 'Shows delivery counts, queue and failures, computed from the deliveries in the log.';
  static override flags = { ...tenantFlag };
  static override examples = ['<%= config.bin %> webhooks health', '<%= config.bin %> webhooks health --tenant kestrel-coffee --json'];

  async run(): Promise<void> {
    const columns = ['name', 'status', 'delivered', 'failed', 'queued', 'oldestQueuedAt', 'failingSince', 'targetUrl', 'id'];
    await this.list(listHealth, await this.parse(WebhooksHealth), columns);
  }
}
