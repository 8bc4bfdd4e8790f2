import { Args } from '@oclif/core';
import { ApiCommand } from '../../src/cli/api-command.ts';
import { usage } from '../../src/cli/failure.ts';
import { listFlags } from '../../src/cli/operation-flags.ts';
import { ORDER_MODULES, listOrders } from '../../src/contract/orders.ts';

const COLUMNS = ['id', 'orderNumber', 'status', 'contact.name', 'dueDate', 'priority', 'orderDate', 'site.name', 'updatedAt'];

export default class OrdersList extends ApiCommand {
  static override summary = 'List the orders of a module';
  static override args = {
    module: Args.string({ ignoreStdin: true, options: ORDER_MODULES, description: 'Which orders; the same as --module.' }),
  };
  static override flags = { ...listFlags(listOrders) };
  static override examples = [
    '<%= config.bin %> orders list sell --status open,in_progress',
    '<%= config.bin %> orders list --module buy --overdue --sort due_date --columns orderNumber,contact.name,dueDate',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OrdersList);
    const module = args.module ?? (flags['module'] as string | undefined);
    if (module === undefined) throw usage('which orders?', `name a module: ${ORDER_MODULES.join(', ')}`);
    if (args.module !== undefined && flags['module'] !== undefined && flags['module'] !== args.module)
      throw usage('two different modules are named');
    await this.list(listOrders, { args, flags: { ...flags, module } }, COLUMNS);
  }
}
