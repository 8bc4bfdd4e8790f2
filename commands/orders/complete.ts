import { orderStatusCommand } from '../../src/cli/orders/order-commands.ts';

export default orderStatusCommand({
  status: 'completed',
  summary: 'Complete an order, posting what is open',
  fields: ['stock'],
  examples: ['orders complete SO-000012', 'orders complete PO-000008 --stock none'],
});
