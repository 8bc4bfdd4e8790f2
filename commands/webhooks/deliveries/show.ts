import { paramArgs } from '../../../src/cli/operation-flags.ts';
import { SettingsCommand, tenantFlag } from '../../../src/cli/settings-command.ts';
import { showDelivery } from '../../../src/contract/admin/webhooks.ts';

export default class WebhooksDeliveriesShow extends SettingsCommand {
  static override summary = 'Show a delivery: its request with all headers, and every attempt';
  static override args = paramArgs(showDelivery);
  static override flags = { ...tenantFlag };
  static override examples = [
    '<%= config.bin %> webhooks deliveries show 0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e',
    '<%= config.bin %> webhooks deliveries show 0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e --json',
  ];

  async run(): Promise<void> {
    await this.show(showDelivery, await this.parse(WebhooksDeliveriesShow));
  }
}
