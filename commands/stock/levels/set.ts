import { defineCommand } from '../../../src/cli/command/define-command.ts';
import { tenantFlag } from '../../../src/cli/input/common-flags.ts';
import { bodyFlags } from '../../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { writeRecord } from '../../../src/cli/records/write-record.ts';
import { adminAccess } from '../../../src/cli/session/admin-session.ts';
import { setReorderPoint } from '../../../src/contract/admin/reorder-points.ts';
import { Args } from '@oclif/core';

export default defineCommand({
  access: adminAccess,
  summary: "Set an item's reorder point at a site",
  description:
    'At or below its reorder point an item is low. The quantity on hand changes with stock documents: `stockroom stock documents create --type adjustment`.',
  args: { item_id: Args.string({ required: true, ignoreStdin: true, description: 'SKU, name or id of the item' }) },
  flags: {
    ...bodyFlags(setReorderPoint, ['itemId']),
    ...writeFlags,
    tenant: tenantFlag,
  },
  examples: ['stock levels set GRN-ETH --site-id NORTH --reorder-point 250', "stock levels set GRN-ETH --site-id NORTH --reorder-point ''"],
  async run(context) {
    const { args } = context;
    await writeRecord(context, setReorderPoint, { itemId: args.item_id });
  },
});
