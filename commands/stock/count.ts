import { postingCommand } from '../../src/cli/stock/posting-command.ts';

export default postingCommand({
  type: 'count',
  summary: 'Set stock to what was counted',
  fields: ['siteId'],
  lineDescription: 'SKU, name or id of the item, and the quantity that was counted.',
  examples: ['stock count KES-HB-250:41 KES-HB-1000:12', 'stock count KES-HB-250:41 --site-id NORTH --dry-run'],
});
