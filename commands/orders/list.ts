import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { isUnsupported } from '../../src/client/errors.ts';
import { getApiError } from '../../src/cli/errors/explained-error.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { listRecords } from '../../src/cli/records/list-records.ts';
import { moduleArgs, selectModule } from '../../src/cli/orders/module-argument.ts';
import { hasMoney } from '../../src/cli/orders/order-commands.ts';
import { ALL_MODULES, type Order, listOrders, ORDER_MODULES } from '../../src/contract/resources/orders.ts';

const COLUMNS = ['id', 'orderNumber', 'status', 'contact.name', 'dueDate', 'priority', 'orderDate', 'site.name', 'updatedAt'];
const TABLE_COLUMNS = [
  'id',
  'orderNumber',
  'status',
  'contact.name',
  'contact.company',
  'fulfilment',
  'total',
  'dueDate',
  'orderDate',
  'priority',
  'site.name',
  'updatedAt',
];
/** Fields that a row has on request. */
const ADDED = ['contact.company', 'fulfilment', 'total', 'currency'];
const TOTALS = [...ADDED, 'company'];

export default operationCommand(listOrders, {
  summary: 'List orders of all modules, or of one',
  args: moduleArgs,
  without: ['include'],
  examples: [
    'orders list sell --status open,in_progress',
    'orders list --overdue --sort due_date --columns orderNumber,contact.name,dueDate,total,currency',
  ],
  async run(context) {
    const { args, flags, output } = context;
    const module = selectModule(args, flags);
    const hasTotals = output.columns === undefined ? output.format !== 'id' : TOTALS.some((column) => output.selectsColumn(column));
    const query = { module, ...(hasTotals ? { include: 'totals' } : {}) };
    // What late orders are read for comes first.
    const tableColumns = flags['overdue'] === true ? ['id', 'orderNumber', 'status', 'dueDate', ...TABLE_COLUMNS.slice(3)] : TABLE_COLUMNS;
    const columns = output.isPlainTable ? [...new Set(tableColumns)] : [...COLUMNS, ...ADDED];
    const listed = listRecords({ ...context, flags: { ...flags, ...query } }, listOrders, columns, {
      hiddenIfEmpty: ['contact.company', 'fulfilment', 'total'],
      optional: ['include'],
      ...(output.isPlainTable && { addFields: (rows) => Promise.resolve(rows.map(withoutMoney)) }),
    });
    await (module === ALL_MODULES ? listed.catch(explainModule) : listed);
  },
});

/** Orders without prices show no total. */
function withoutMoney(row: unknown): unknown {
  const order = row as Order;
  return hasMoney(order) ? order : { ...order, total: null };
}

/** Services without the extensions of stockroom list one module at a time. */
function explainModule(error: unknown): never {
  if (!isUnsupported(getApiError(error), ['module', 'include'])) throw error;
  throw usageError('This service lists the orders of one module at a time', `Pass one: ${ORDER_MODULES.join(', ')}`);
}
