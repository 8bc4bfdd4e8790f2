import { defineCommand } from '../../src/cli/command/define-command.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { listFlags } from '../../src/cli/input/operation-flags.ts';
import { listRecords } from '../../src/cli/records/list-records.ts';
import { apiAccess } from '../../src/cli/session/api-session.ts';
import { listOrders, ORDER_MODULES } from '../../src/contract/resources/orders.ts';
import { Args } from '@oclif/core';

const COLUMNS = ['id', 'orderNumber', 'status', 'contact.name', 'dueDate', 'priority', 'orderDate', 'site.name', 'updatedAt'];

export default defineCommand({
  access: apiAccess,
  summary: 'List the orders of a module',
  description: 'Rows have no totals; `stockroom orders get` shows them.',
  args: {
    module: Args.string({ ignoreStdin: true, options: ORDER_MODULES, description: 'Module of the orders; same as --module.' }),
  },
  flags: { ...listFlags(listOrders) },
  examples: [
    'orders list sell --status open,in_progress',
    'orders list --module buy --overdue --sort due_date --columns orderNumber,contact.name,dueDate',
  ],
  async run(context) {
    const { args, flags, output } = context;
    const module = args.module ?? (flags['module'] as string | undefined);
    if (module === undefined)
      throw usageError(
        'Missing required flag --module',
        `List sales orders with \`stockroom orders list sell\`, purchases with \`stockroom orders list buy\`. Valid modules: ${ORDER_MODULES.join(', ')}`,
      );
    if (args.module !== undefined && flags['module'] !== undefined && flags['module'] !== args.module)
      throw usageError('MODULE and --module differ', 'Pass only one of them');
    if (output.columns?.split(',').some((name) => name.trim() === 'total'))
      throw usageError(
        'Lists of orders have no totals',
        'Show the total of each with `stockroom orders get ORDER --columns orderNumber,total`',
      );
    await listRecords({ ...context, flags: { ...flags, module } }, listOrders, COLUMNS);
  },
});
