import { postingCommand } from '../../src/cli/stock/posting-command.ts';

export default postingCommand({
  type: 'adjustment',
  summary: 'Add or remove stock, with a reason',
  fields: ['siteId', 'reason'],
  lineDescription: 'SKU, name or id of the item, and the difference: negative for stock that is gone.',
  examples: ['stock adjust --reason found KES-HB-250:3', 'stock adjust --reason damaged --line KES-HB-250:-2 --dry-run'],
});
