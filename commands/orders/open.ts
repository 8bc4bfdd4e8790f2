import { orderStatusCommand } from '../../src/cli/orders/order-commands.ts';

export default orderStatusCommand({
  status: 'open',
  summary: 'Open an order, committing its stock',
  fields: [],
  examples: ['orders open SO-000012', 'orders open SO-000012 --dry-run'],
});
