import { postingCommand } from '../../src/cli/stock/posting-command.ts';

export default postingCommand({
  type: 'issue',
  summary: 'Ship goods of a sales order',
  description: 'Without lines, ships everything that is open. Complete the order afterwards with `stockroom orders complete`.',
  args: { order_id: 'Number or id of the order' },
  fields: ['siteId'],
  lineDescription: 'What leaves: SKU, name or id of the item, and quantity.',
  examples: ['orders ship SO-000010', 'orders ship SO-000012 KES-HB-250:1', 'orders ship SO-000012 --line KES-HB-250:1 --dry-run'],
});
