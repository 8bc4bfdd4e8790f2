import { defineCommand } from '../../src/cli/command/define-command.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { writeOrder } from '../../src/cli/orders/order-commands.ts';
import { apiAccess } from '../../src/cli/session/api-session.ts';
import { updateOrder } from '../../src/contract/resources/orders.ts';

export default defineCommand({
  access: apiAccess,
  summary: 'Update an order, its lines or its status',
  description:
    'Completing an order ships or receives what is open. Lines in --data are the complete set: an element with an id updates that line, one without adds a line, lines not listed are removed.',
  args: paramArgs(updateOrder),
  flags: {
    ...bodyFlags(updateOrder),
    ...writeFlags,
  },
  examples: ['orders update SO-000012 --status completed', 'orders update SO-000012 --due-date 2027-01-15 --priority high'],
  async run(context) {
    await writeOrder(context, updateOrder);
  },
});
