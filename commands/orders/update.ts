import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { writeOrder } from '../../src/cli/orders/order-commands.ts';
import { updateOrder } from '../../src/contract/resources/orders.ts';

export default operationCommand(updateOrder, {
  description:
    'Completing an order ships or receives what is open. --set lines.0.quantity=5 changes the first line; lines in --data are the complete set, those with an id are updated, those not listed removed.',
  examples: [
    'orders update SO-000012 --status completed',
    'orders update SO-000012 --due-date 2027-01-15 --priority high',
    'orders update SO-000012 --set lines.0.quantity=2 --dry-run',
  ],
  run: (context) => writeOrder(context, updateOrder),
});
