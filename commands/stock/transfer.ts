import { postingCommand } from '../../src/cli/stock/posting-command.ts';

export default postingCommand({
  type: 'transfer',
  summary: 'Move stock from one site to another',
  args: { site_id: 'Site that the stock leaves: code, name or id', to_site_id: 'Site that receives it: code, name or id' },
  fields: [],
  lineDescription: 'SKU, name or id of the item, and quantity.',
  examples: ['stock transfer ROAST BAIXA GRN-ETH:60', 'stock transfer ROAST BAIXA GRN-ETH:60 PKG-BAG-250:100 --dry-run'],
});
