import { Args } from '@oclif/core';
import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { listFlags } from '../../src/cli/input/operation-flags.ts';
import { ORDER_MODULES, listOrders } from '../../src/contract/resources/orders.ts';

const COLUMNS = ['id', 'orderNumber', 'status', 'contact.name', 'dueDate', 'priority', 'orderDate', 'site.name', 'updatedAt'];

export default class OrdersList extends ApiCommand {
  static override summary = 'List the orders of a module';
  static override description = 'Rows have no totals; `stockroom orders get` shows them.';
  static override args = {
    module: Args.string({ ignoreStdin: true, options: ORDER_MODULES, description: 'Module of the orders; same as --module.' }),
  };
  static override flags = { ...listFlags(listOrders) };
  static override examples = [
    '<%= config.bin %> orders list sell --status open,in_progress',
    '<%= config.bin %> orders list --module buy --overdue --sort due_date --columns orderNumber,contact.name,dueDate',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OrdersList);
    const module = args.module ?? (flags['module'] as string | undefined);
    if (module === undefined)
      throw usageError(
        'Missing required flag --module',
        `List sales orders with \`stockroom orders list sell\`, purchases with \`stockroom orders list buy\`. Valid modules: ${ORDER_MODULES.join(', ')}`,
      );
    if (args.module !== undefined && flags['module'] !== undefined && flags['module'] !== args.module)
      throw usageError('MODULE and --module differ', 'Pass only one of them');
    if (this.globals.columns?.split(',').some((name) => name.trim() === 'total'))
      throw usageError(
        'Lists of orders have no totals',
        'Show the total of each with `stockroom orders get ORDER --columns orderNumber,total`',
      );
    await this.list(listOrders, { args, flags: { ...flags, module } }, COLUMNS);
  }
}
