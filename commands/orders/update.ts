import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/operation-flags.ts';
import { OrderCommand } from '../../src/cli/order-command.ts';
import { updateOrder } from '../../src/contract/orders.ts';

export default class OrdersUpdate extends OrderCommand {
  static override summary = 'Change an order, its lines or its status; what is not named stays as it is';
  static override description =
    'Lines are sent as the whole wanted set through --data: an element with an id changes that line, one without adds a line, a line left out goes.';
  static override args = paramArgs(updateOrder);
  static override flags = {
    ...bodyFlags(updateOrder, { status: 'Where it goes.', reference: 'The number of the other party.', priority: 'How urgent.' }),
    ...writeFlags,
  };
  static override examples = [
    '<%= config.bin %> orders update 0197a3c0-5b1e-7c33-9a51-3f2b9d6c1e70 --status completed',
    '<%= config.bin %> orders update 0197a3c0-5b1e-7c33-9a51-3f2b9d6c1e70 --due-date 2027-01-15 --priority high',
  ];

  async run(): Promise<void> {
    await this.writeOrder(updateOrder, await this.parse(OrdersUpdate));
  }
}
