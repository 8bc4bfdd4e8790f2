import { postingCommand } from '../../src/cli/stock/posting-command.ts';

export default postingCommand({
  type: 'receipt',
  summary: 'Receive goods of a purchase order',
  description:
    'Without lines, receives everything that is open, at the prices of the order. Complete the order afterwards with `stockroom orders complete`.',
  args: { order_id: 'Number or id of the order' },
  fields: ['siteId'],
  lineDescription: 'What has arrived: SKU, name or id of the item, quantity and optionally the cost instead of the price of the order.',
  examples: [
    'orders receive PO-000008',
    'orders receive PO-000008 GRN-ETH:3 --dry-run',
    "orders receive PO-000008 --line GRN-ETH:3@500 --reference 'Delivery note 4711'",
  ],
});
