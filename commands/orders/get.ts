import { Flags } from '@oclif/core';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { OrderCommand } from '../../src/cli/base-commands/order-command.ts';
import { getView } from '../../src/cli/base-commands/service-command.ts';
import { getOrder } from '../../src/contract/resources/orders.ts';

export default class OrdersGet extends OrderCommand {
  static override summary = 'Show an order';
  static override args = paramArgs(getOrder);
  static override flags = { lines: Flags.boolean({ description: 'Include the lines.' }) };
  static override examples = [
    '<%= config.bin %> orders get SO-000012 --lines',
    '<%= config.bin %> orders get SO-000012 --columns orderNumber,status,total',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OrdersGet);
    this.validateOutput(getView(getOrder));
    const hasLines = flags.lines || this.globals.columns?.split(',').some((name) => name.trim() === 'lines');
    const parts = await this.toRequestParts(getOrder, { args, flags: hasLines ? { include: 'lines' } : {} });
    const client = await this.connect();
    await this.printOrder(getOrder, await this.withWaitIndicator(client.perform(getOrder, parts)));
  }
}
