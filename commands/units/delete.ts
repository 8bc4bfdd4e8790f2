import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { deleteUnit } from '../../src/contract/admin/units.ts';

export default operationCommand(deleteUnit, {
  examples: ['units delete 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70', 'units delete 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --yes'],
});
