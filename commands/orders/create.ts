import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { orderLineFlag } from '../../src/cli/input/line-flag.ts';
import { writeOrder } from '../../src/cli/orders/order-commands.ts';
import { ORDER_MODULES, createOrder } from '../../src/contract/resources/orders.ts';
import { Args } from '@oclif/core';

export default operationCommand(createOrder, {
  args: { module: Args.string({ options: ORDER_MODULES, description: 'Module of the order; same as --module.' }) },
  flags: orderLineFlag,
  examples: ["orders create sell --contact 'Tiago Reis' --line KES-HB-250:12@10.50", 'orders create --data - --status open < order.json'],
  async run(context) {
    const { args, flags } = context;
    await writeOrder(args.module === undefined ? context : { ...context, flags: { ...flags, module: args.module } }, createOrder);
  },
});
