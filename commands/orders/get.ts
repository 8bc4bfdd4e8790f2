import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { printOrder } from '../../src/cli/orders/order-commands.ts';
import { readOrderWithLines } from '../../src/cli/records/order-with-lines.ts';
import { withWaitIndicator } from '../../src/cli/output/wait-indicator.ts';
import { getView, toRequestParts } from '../../src/cli/records/request.ts';
import { getOrder } from '../../src/contract/resources/orders.ts';
import { Flags } from '@oclif/core';

export default operationCommand(getOrder, {
  without: ['include'],
  flags: { lines: Flags.boolean({ description: 'Include the lines; tables have them without it.' }) },
  examples: ['orders get SO-000012', 'orders get SO-000012 --lines --json', 'orders get SO-000012 --columns orderNumber,status,total'],
  async run(context) {
    const { flags, output, session } = context;
    output.validateView(getView(getOrder));
    const hasLines = flags.lines || output.isPlainTable || output.selectsColumn('lines');
    const parts = await toRequestParts({ ...context, flags: {} }, getOrder);
    const client = await session.connect();
    const reply = hasLines ? readOrderWithLines(client, parts.params['order_id'] ?? '') : client.perform(getOrder, parts);
    await printOrder(context, getOrder, await withWaitIndicator(reply));
  },
});
