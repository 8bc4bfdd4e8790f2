import { editCommand } from '../../src/cli/command/edit-command.ts';
import { getOrder, updateOrder } from '../../src/contract/resources/orders.ts';

export default editCommand(getOrder, updateOrder, ['orders edit SO-000012', 'orders edit SO-000012 --dry-run']);
