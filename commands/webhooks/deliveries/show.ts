import { ATTEMPTS, type ShownDelivery, attemptRows, requestLines } from '../../../src/cli/delivery-screen.ts';
import { paramArgs } from '../../../src/cli/operation-flags.ts';
import { viewOf } from '../../../src/cli/service-command.ts';
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
    const parsed = await this.parse(WebhooksDeliveriesShow);
    if (this.format !== 'table' || this.globals.columns !== undefined) {
      await this.show(showDelivery, parsed);
      return;
    }
    const client = await this.connect();
    const { data } = (await this.awaiting(client.perform(showDelivery, this.partsOf(showDelivery, parsed)))).body as {
      data: ShownDelivery;
    };
    const { fields, columns } = viewOf(showDelivery);
    await this.printOne({ data }, { fields, columns: columns.filter((column) => !/^(?:request|history)\b/u.test(column)) });
    if (data.request !== null) {
      const lines = requestLines(data.request, this.paintFor(process.stdout), this.screen ?? Infinity);
      await this.out.write(`\n${lines.join('\n')}\n`);
    }
    if (data.history.length === 0) return;
    await this.out.write('\n');
    await this.printList({ data: attemptRows(data) }, ATTEMPTS);
  }
}
