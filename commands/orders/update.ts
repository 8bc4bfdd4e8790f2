import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { writeOrder } from '../../src/cli/orders/order-commands.ts';
import { updateOrder } from '../../src/contract/resources/orders.ts';

export default operationCommand(updateOrder, {
  description:
    'Completing an order ships or receives what is open. Lines in --data are the complete set: an element with an id updates that line, one without adds a line, lines not listed are removed.',
  examples: ['orders update SO-000012 --status completed', 'orders update SO-000012 --due-date 2027-01-15 --priority high'],
  async run(context) {
    await writeOrder(context, updateOrder);
  },
});
