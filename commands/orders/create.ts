import { defineCommand } from '../../src/cli/command/define-command.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { lineFlag, writeOrder } from '../../src/cli/orders/order-commands.ts';
import { apiAccess } from '../../src/cli/session/api-session.ts';
import { createOrder } from '../../src/contract/resources/orders.ts';

export default defineCommand({
  access: apiAccess,
  summary: 'Create an order with its lines',
  flags: {
    ...bodyFlags(createOrder),
    ...lineFlag,
    ...writeFlags,
  },
  examples: [
    "orders create --module sell --contact-id 'Tiago Reis' --line KES-HB-250:12@10.50",
    'orders create --data - --status open < order.json',
  ],
  async run(context) {
    await writeOrder(context, createOrder);
  },
});
