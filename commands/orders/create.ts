import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { lineFlag, writeOrder } from '../../src/cli/orders/order-commands.ts';
import { createOrder } from '../../src/contract/resources/orders.ts';

export default operationCommand(createOrder, {
  flags: lineFlag,
  examples: [
    "orders create --module sell --contact-id 'Tiago Reis' --line KES-HB-250:12@10.50",
    'orders create --data - --status open < order.json',
  ],
  async run(context) {
    await writeOrder(context, createOrder);
  },
});
