import { Args } from '@oclif/core';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../../src/cli/base-commands/admin-command.ts';
import { setReorderPoint } from '../../../src/contract/admin/reorder-points.ts';

export default class StockLevelsSet extends AdminCommand {
  static override summary = "Set an item's reorder point at a site";
  static override description =
    'At or below its reorder point an item is low. The quantity on hand changes with stock documents: `stockroom stock documents create --type adjustment`.';
  static override args = { item_id: Args.string({ required: true, ignoreStdin: true, description: 'SKU, name or id of the item' }) };
  static override flags = {
    ...bodyFlags(setReorderPoint, {}, ['itemId']),
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> stock levels set GRN-ETH --site-id NORTH --reorder-point 250',
    "<%= config.bin %> stock levels set GRN-ETH --site-id NORTH --reorder-point ''",
  ];

  async run(): Promise<void> {
    const parsed = await this.parse(StockLevelsSet);
    await this.write(setReorderPoint, parsed, { itemId: parsed.args.item_id });
  }
}
