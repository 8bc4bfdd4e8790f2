import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { OrderCommand } from '../../src/cli/base-commands/order-command.ts';
import { updateOrder } from '../../src/contract/resources/orders.ts';

export default class OrdersUpdate extends OrderCommand {
  static override summary = 'Update an order, its lines or its status';
  static override description =
    'Completing an order ships or receives what is open. Lines in --data are the complete set: an element with an id updates that line, one without adds a line, lines not listed are removed.';
  static override args = paramArgs(updateOrder);
  static override flags = {
    ...bodyFlags(updateOrder, {
      status: 'New status.',
      reference: "The other party's reference number.",
      priority: 'Priority of the order.',
    }),
    ...writeFlags,
  };
  static override examples = [
    '<%= config.bin %> orders update SO-000012 --status completed',
    '<%= config.bin %> orders update SO-000012 --due-date 2027-01-15 --priority high',
  ];

  async run(): Promise<void> {
    await this.writeOrder(updateOrder, await this.parse(OrdersUpdate));
  }
}
