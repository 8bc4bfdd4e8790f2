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
    "<%= config.bin %> orders create --module sell --contact-id 'Tiago Reis' --line KES-HB-250:12@10.50",
    '<%= config.bin %> orders create --data - --status open < order.json',
  ];

  async run(): Promise<void> {
    await this.writeOrder(createOrder, await this.parse(OrdersCreate));
  }
}
