import { postingCommand } from '../../src/cli/stock/posting-command.ts';

export default postingCommand({
  type: 'production',
  summary: 'Post what was made for a production order',
  description:
    'Without lines, posts everything that is open, outputs and ingredients; with outputs only, ingredients in proportion. Complete the order afterwards with `stockroom orders complete`.',
  args: { order_id: 'Number or id of the order' },
  fields: ['siteId'],
  lineDescription: 'Item and quantity that was made; negative for an ingredient that was consumed.',
  examples: ['orders produce MO-000007', 'orders produce MO-000007 RST-HOUSE:60 --dry-run'],
});
