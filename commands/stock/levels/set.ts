import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { writeRecord } from '../../../src/cli/records/write-record.ts';
import { setReorderPoint } from '../../../src/contract/admin/reorder-points.ts';
import { Args } from '@oclif/core';

export default operationCommand(setReorderPoint, {
  description:
    'At or below its reorder point an item is low. The quantity on hand changes with stock documents: `stockroom stock documents create --type adjustment`.',
  args: { item_id: Args.string({ required: true, description: 'SKU, name or id of the item' }) },
  without: ['itemId'],
  examples: ['stock levels set GRN-ETH --site-id NORTH --reorder-point 250', "stock levels set GRN-ETH --site-id NORTH --reorder-point ''"],
  run: (context) => writeRecord(context, setReorderPoint, { itemId: context.args.item_id }),
});
