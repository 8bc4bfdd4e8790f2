import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { OrderCommand, lineFlag } from '../../src/cli/base-commands/order-command.ts';
import { createOrder } from '../../src/contract/resources/orders.ts';

export default class OrdersCreate extends OrderCommand {
  static override summary = 'Create an order with its lines';
  static override flags = {
    ...bodyFlags(createOrder, {
      module: 'Module of the order.',
      reference: "The other party's reference number.",
      priority: 'Priority of the order.',
    }),
    ...lineFlag,
    ...writeFlags,
  };
  static override examples = [
    '<%= config.bin %> orders create --module sell --line 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e:12@0.35',
    '<%= config.bin %> orders create --data - --status open < order.json',
  ];

  async run(): Promise<void> {
    await this.writeOrder(createOrder, await this.parse(OrdersCreate));
  }
}
