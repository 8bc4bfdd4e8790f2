import { defineCommand } from '../../src/cli/command/define-command.ts';
import { tenantFlag } from '../../src/cli/input/common-flags.ts';
import { withWaitIndicator } from '../../src/cli/output/wait-indicator.ts';
import { toRunnableCommand } from '../../src/cli/program-name.ts';
import { getView, toRequestParts } from '../../src/cli/records/request.ts';
import { adminAccess, type AdminContext } from '../../src/cli/session/admin-session.ts';
import {
  getReorderNote,
  REORDER_COLUMNS,
  REORDER_DERIVED,
  REORDER_TABLE_COLUMNS,
  type ReorderRow,
} from '../../src/cli/views/stock-reorder.ts';
import { listReorders } from '../../src/contract/admin/stock-reorder.ts';

export default defineCommand({
  access: adminAccess,
  summary: 'List items to reorder, with the command for each',
  description:
    'Shows items at or below their reorder point at a site (low) or with more committed than on hand (oversold); those with ingredients are made, others bought from their preferred supplier. ' +
    'The quantity fills the stock to twice the reorder point, or to zero without one, after what is committed and incoming: in the purchase unit of the supplier, and at least its minimum order quantity; run it again afterwards, because orders to make items need ingredients that may then run low.',
  flags: { tenant: tenantFlag },
  examples: ['stock reorder', 'stock reorder --columns sku,reason,command', 'stock reorder --tenant kestrel-coffee --json'],
  async run(context) {
    const { output, session } = context;
    const hasCommandsBelow = output.format === 'table' && output.columns === undefined;
    const columns = hasCommandsBelow ? REORDER_TABLE_COLUMNS : REORDER_COLUMNS;
    const view = output.validateView({ ...getView(listReorders, columns), derived: REORDER_DERIVED, neverTruncated: ['command'] });
    const parts = await toRequestParts({ ...context, ...context }, listReorders);
    const client = await session.connect();
    const { body } = await withWaitIndicator(client.perform(listReorders, parts));
    const rows = body.data.map((row) => ({ ...row, command: row.command === null ? null : toRunnableCommand(row.command) }));
    await output.printList({ data: rows }, view);
    if (rows.length === 0 && output.format !== 'json') output.printNoRows();
    if (hasCommandsBelow) await printCommands(context, rows);
  },
});

/** Prints the commands one per line, never cut, so that they can be copied; then the items without one. */
async function printCommands({ output }: AdminContext, rows: readonly ReorderRow[]): Promise<void> {
  const commands = rows.flatMap(({ command }) => command ?? []);
  if (commands.length > 0) await output.write(`\n${commands.join('\n')}\n`);
  for (const [note, others] of Map.groupBy(rows, getReorderNote)) {
    if (note === null) continue;
    const names = others.map(({ item }) => item.sku ?? item.name).join(', ');
    output.printDimNote(`No command, ${note}: ${names}`);
  }
}
