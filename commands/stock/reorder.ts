import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { listReorders } from '../../src/contract/admin/stock-reorder.ts';

export default class StockReorder extends AdminCommand {
  static override summary = 'List items to reorder, with the command for each';
  static override description = 'Shows items at or below their reorder point at a site, and items with more committed than on hand.';
  static override flags = { ...tenantFlag };
  static override examples = ['<%= config.bin %> stock reorder', '<%= config.bin %> stock reorder --tenant kestrel-coffee --json'];

  async run(): Promise<void> {
    const columns = ['item.sku', 'item.name', 'site.name', 'onHand', 'committed', 'incoming', 'reorderPoint', 'command'];
    await this.list(listReorders, await this.parse(StockReorder), columns);
  }
}
