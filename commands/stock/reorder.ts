import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { toRunnableCommand } from '../../src/cli/program-name.ts';
import { getView, requestOnce, sendRequest, toWriteParts } from '../../src/cli/records/request.ts';
import { getIdempotencyKey } from '../../src/cli/records/write-record.ts';
import type { AdminContext } from '../../src/cli/session/admin-session.ts';
import { ORDERED_COLUMNS, REORDER_COLUMNS, REORDER_TABLE_COLUMNS } from '../../src/cli/views/stock-reorder.ts';
import { createReorders, listReorders } from '../../src/contract/admin/stock-reorder.ts';
import type { ResultOf } from '../../src/contract/operation.ts';
import { Flags } from '@oclif/core';

export default operationCommand(listReorders, {
  summary: 'List items to reorder, or order all of them',
  description:
    'Shows items at or below their reorder point at a site (low) or with more committed than on hand (oversold); those with ingredients are made, others bought from their preferred supplier. ' +
    'The quantity fills the stock to twice the reorder point, or to zero without one, after what is committed, incoming and on draft orders: in the purchase unit of the supplier, and at least its minimum order quantity.',
  flags: {
    create: Flags.boolean({
      description:
        'Create one purchase order per supplier and site, and one production order per item and site, with what these need; all or none. What is ordered already, also by a draft, is not ordered again.',
    }),
    draft: Flags.boolean({ description: 'Create drafts instead of open orders.', dependsOn: ['create'] }),
    'dry-run': Flags.boolean({ description: 'Show the orders without creating any.', dependsOn: ['create'] }),
    'idempotency-key': writeFlags['idempotency-key'],
  },
  examples: [
    'stock reorder',
    'stock reorder --create --draft',
    'stock reorder --columns sku,quantity,unit.symbol,supplier.name,reason',
    'stock reorder --tenant kestrel-coffee --json',
  ],
  async run(context) {
    await (context.flags.create ? createOrders(context) : listItems(context));
  },
});

type ReorderRow = ResultOf<typeof listReorders>['data'][number];

async function listItems(context: AdminContext): Promise<void> {
  const { output } = context;
  const hasCommandsBelow = output.isPlainTable;
  const columns = hasCommandsBelow ? REORDER_TABLE_COLUMNS : REORDER_COLUMNS;
  const view = output.validateView({ ...getView(listReorders, columns), neverTruncated: ['command'] });
  const { body } = await requestOnce(context, listReorders);
  const rows = body.data.map((row) => ({ ...row, command: row.command === null ? null : toRunnableCommand(row.command) }));
  await output.printList({ data: rows }, view);
  if (rows.length === 0 && output.format !== 'json') output.printNoRows();
  if (hasCommandsBelow) await printCommands(context, rows);
}

/** Prints the commands one per line, never cut, so that they can be copied; then the items without one. */
async function printCommands({ output }: AdminContext, rows: readonly ReorderRow[]): Promise<void> {
  const commands = rows.flatMap(({ command }) => command ?? []);
  if (commands.length > 0) await output.write(`\n${commands.join('\n')}\n`);
  for (const note of listUnordered(rows)) output.printDimNote(note);
  for (const row of rows) if (row.command !== null && row.note !== null) output.printDimNote(`Beyond ${row.note}: ${listNames([row])}`);
  if (commands.length > 1) output.printNote('Create all of these orders with `stockroom stock reorder --create`');
}

/** The items for which there is no order, by the reason. */
const listUnordered = (rows: readonly Pick<ReorderRow, 'command' | 'note' | 'item'>[]): readonly string[] =>
  [
    ...Map.groupBy(
      rows.filter(({ command }) => command === null),
      ({ note }) => note,
    ),
  ].flatMap(([note, others]) => (note === null ? [] : [`No order for ${listNames(others)}: ${note}`]));

const listNames = (rows: readonly Pick<ReorderRow, 'item'>[]): string => rows.map(({ item }) => item.sku ?? item.name).join(', ');

/** A dry run has not taken them. */
const NUMBERS = ['orderId', 'orderNumber'];

async function createOrders(context: AdminContext): Promise<void> {
  const { flags, output } = context;
  const view = output.validateView({ ...getView(createReorders, ORDERED_COLUMNS), hiddenIfEmpty: ['supplier.name'] });
  // The service performs the dry run, because the orders depend on the stock.
  const isDryRun = flags['dry-run'] === true;
  // Those that are created are incoming then.
  const unordered = listUnordered((await requestOnce(context, listReorders)).body.data);
  const parts = await toWriteParts(context, createReorders, { draft: flags['draft'] === true });
  const { body, text } = await sendRequest(context, createReorders, parts, { idempotencyKey: getIdempotencyKey(context) });
  const shown = isDryRun ? { ...view, columns: view.columns.filter((name) => !NUMBERS.includes(name)) } : view;
  await output.printList(body, shown, text);
  const count = new Set(body.data.map(({ orderId }) => orderId)).size;
  output.printNote(
    count === 0
      ? 'Nothing to order'
      : `${isDryRun ? 'Dry run: would create' : 'Created'} ${String(count)} ${count === 1 ? 'order' : 'orders'}`,
  );
  for (const note of unordered) output.printNote(note);
}
