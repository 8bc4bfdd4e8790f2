import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { getView } from '../../src/cli/base-commands/service-command.ts';
import { toRunnableCommand } from '../../src/cli/program-name.ts';
import {
  REORDER_COLUMNS,
  REORDER_DERIVED,
  REORDER_TABLE_COLUMNS,
  type ReorderRow,
  getReorderNote,
} from '../../src/cli/views/stock-reorder.ts';
import { listReorders } from '../../src/contract/admin/stock-reorder.ts';

export default class StockReorder extends AdminCommand {
  static override summary = 'List items to reorder, with the command for each';
  static override description =
    'Shows items at or below their reorder point at a site (low) or with more committed than on hand (oversold); those with ingredients are made, others bought from their preferred supplier. ' +
    'The quantity fills the stock to twice the reorder point, or to zero without one, after what is committed and incoming: in the purchase unit of the supplier, and at least its minimum order quantity; run it again afterwards, because orders to make items need ingredients that may then run low.';
  static override flags = { ...tenantFlag };
  static override examples = [
    '<%= config.bin %> stock reorder',
    '<%= config.bin %> stock reorder --columns sku,reason,command',
    '<%= config.bin %> stock reorder --tenant kestrel-coffee --json',
  ];

  async run(): Promise<void> {
    const parsed = await this.parse(StockReorder);
    const hasCommandsBelow = this.format === 'table' && this.globals.columns === undefined;
    const columns = hasCommandsBelow ? REORDER_TABLE_COLUMNS : REORDER_COLUMNS;
    const view = this.validateOutput({ ...getView(listReorders, columns), derived: REORDER_DERIVED, neverTruncated: ['command'] });
    const parts = await this.toRequestParts(listReorders, parsed);
    const client = await this.connect();
    const { body } = await this.withWaitIndicator(client.perform(listReorders, parts));
    const rows = body.data.map((row) => ({ ...row, command: row.command === null ? null : toRunnableCommand(row.command) }));
    await this.printList({ data: rows }, view);
    if (rows.length === 0 && this.format !== 'json') this.printNoRows();
    if (hasCommandsBelow) await this.printCommands(rows);
  }

  /** Prints the commands one per line, never cut, so that they can be copied; then the items without one. */
  private async printCommands(rows: readonly ReorderRow[]): Promise<void> {
    const commands = rows.flatMap(({ command }) => command ?? []);
    if (commands.length > 0) await this.out.write(`\n${commands.join('\n')}\n`);
    for (const [note, others] of Map.groupBy(rows, getReorderNote)) {
      if (note === null) continue;
      const names = others.map(({ item }) => item.sku ?? item.name).join(', ');
      this.printNote(this.getPaint(process.stderr)('dim', `No command, ${note}: ${names}`));
    }
  }
}
