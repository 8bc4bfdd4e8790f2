import {
  ATTEMPTS,
  type ShownDelivery,
  toAttemptRows,
  formatNextAttempt,
  formatRequest,
  formatResponse,
} from '../../../src/cli/views/delivery.ts';
import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { getView } from '../../../src/cli/base-commands/service-command.ts';
import { AdminCommand, tenantFlag } from '../../../src/cli/base-commands/admin-command.ts';
import { showDelivery } from '../../../src/contract/admin/webhooks.ts';

export default class WebhooksDeliveriesShow extends AdminCommand {
  static override summary = 'Show a delivery with its request and attempts';
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
    const { data } = (await this.withWaitIndicator(client.perform(showDelivery, await this.toRequestParts(showDelivery, parsed)))).body as {
      data: ShownDelivery;
    };
    const { fields, columns } = getView(showDelivery);
    await this.printOne({ data }, { fields, columns: columns.filter((column) => !/^(?:request|history)\b/u.test(column)) });
    if (data.request !== null) {
      const lines = formatRequest(data.request, this.getPaint(process.stdout), this.terminalWidth ?? Infinity);
      await this.out.write(`\n${lines.join('\n')}\n`);
    }
    if (data.history.length === 0) return;
    await this.out.write('\n');
    await this.printList({ data: toAttemptRows(data) }, ATTEMPTS);
    const response = formatResponse(data, this.getPaint(process.stdout));
    if (response.length > 0) await this.out.write(`\n${response.join('\n')}\n`);
    const next = formatNextAttempt(data);
    if (next.length > 0) await this.out.write(`\n${next.join('\n')}\n`);
  }
}
