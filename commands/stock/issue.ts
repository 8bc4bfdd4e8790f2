import { postingCommand } from '../../src/cli/stock/posting-command.ts';

export default postingCommand({
  type: 'issue',
  summary: 'Issue stock',
  description: 'For a sales order, see `stockroom orders ship`.',
  fields: ['siteId', 'contactId', 'orderId', 'returnOf'],
  lineDescription: 'SKU, name or id of the item, and quantity.',
  examples: ['stock issue KES-HB-250:2 --notes Samples', 'stock issue KES-HB-250:2 --site-id NORTH --dry-run'],
});
