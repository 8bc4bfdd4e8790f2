import { orderStatusCommand } from '../../src/cli/orders/order-commands.ts';

export default orderStatusCommand({
  status: 'cancelled',
  summary: 'Cancel an order',
  fields: ['cancelReason'],
  examples: ['orders cancel SO-000012', "orders cancel SO-000012 --cancel-reason 'Ordered twice'"],
});
