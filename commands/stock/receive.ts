import { postingCommand } from '../../src/cli/stock/posting-command.ts';

export default postingCommand({
  type: 'receipt',
  summary: 'Receive stock',
  description: 'For a purchase order, see `stockroom orders receive`.',
  fields: ['siteId', 'contactId', 'orderId', 'returnOf'],
  lineDescription: 'SKU, name or id of the item, quantity and optionally the cost per unit.',
  examples: ['stock receive GRN-ETH:60@8.40 PKG-BAG-250:500@0.12', 'stock receive --return-of SO-000012 KES-HB-250:1'],
});
