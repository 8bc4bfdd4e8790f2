import { Flags } from '@oclif/core';
import { paramArgs } from '../../src/cli/operation-flags.ts';
import { OrderCommand } from '../../src/cli/order-command.ts';
import { viewOf } from '../../src/cli/service-command.ts';
import { getOrder } from '../../src/contract/orders.ts';

export default class OrdersGet extends OrderCommand {
  static override summary = 'Show an order';
  static override args = paramArgs(getOrder);
  static override flags = { lines: Flags.boolean({ description: 'Also the lines.' }) };
  static override examples = [
    '<%= config.bin %> orders get 0197a3c0-5b1e-7c33-9a51-3f2b9d6c1e70 --lines',
    '<%= config.bin %> orders get 0197a3c0-5b1e-7c33-9a51-3f2b9d6c1e70 --columns orderNumber,status,total',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OrdersGet);
    this.checked(viewOf(getOrder));
    const parts = this.partsOf(getOrder, { args, flags: flags.lines ? { include: 'lines' } : {} });
    const client = await this.connect();
    await this.printOrder(getOrder, await this.awaiting(client.perform(getOrder, parts)));
  }
}
